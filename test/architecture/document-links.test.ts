// Every relative link in a Markdown file leads to a file, and to a heading of it where it names one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const found = execFileSync(
  'find',
  ['.', '(', '-name', 'node_modules', '-o', '-name', '.git', ')', '-prune', '-o', '-name', '*.md', '-print'],
  { cwd: root, encoding: 'utf8' },
)
const documents = found.trim().split('\n')
const prose = (path: string) => readFileSync(path, 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')

/** As GitHub derives them. */
function anchors(path: string): Set<string | undefined> {
  const headings = prose(path).matchAll(/^#+ (.+)$/gm)
  const words = Array.from(headings, ([, title = '']) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, ''))
  return new Set(words.map((title) => title.replaceAll(' ', '-')))
}

test('every relative link leads to a file and a heading', () => {
  const broken = documents.flatMap((document) =>
    [...prose(join(root, document)).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([link, path = '', anchor]) => {
        const target = path === '' ? join(root, document) : join(root, dirname(document), path)
        const isGood = existsSync(target) && (anchor === undefined || anchors(target).has(anchor))
        return isGood ? [] : [`${document}: ${link}`]
      },
    ),
  )
  assert.ok(documents.length > 15)
  assert.deepEqual(broken, [])
})
