// The committed pictures are those that the gallery chooses, and the report's; they are small, and used.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CHOSEN } from '../../scripts/gallery/chosen.ts'

const MAXIMUM_BYTES = 1.5e6
/** Of docs/journal.md. */
const OF_THE_REPORT = 'report.png'
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('they are the chosen ones, and small; README.md shows some of them', () => {
  const folder = join(ROOT, 'docs', 'pictures')
  const files = readdirSync(folder).sort()
  assert.deepEqual(files, [...CHOSEN.map(({ picture }) => picture.file), OF_THE_REPORT].sort())
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  assert.ok(bytes < MAXIMUM_BYTES, `${bytes} bytes`)
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const shown = Array.from(readme.matchAll(/docs\/pictures\/([\w.-]+)/g), ([, file]) => String(file))
  assert.ok(shown.length > 0)
  for (const file of shown) assert.ok(files.includes(file), file)
})
