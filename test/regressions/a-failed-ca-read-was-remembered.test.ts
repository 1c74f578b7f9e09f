// The engine's CA is read when it has changed. When a read failed because the process had too many open files, the
// portal cached "no authorities" until the file changed: every acknowledgement failed until the next rotation or
// restart.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeServed } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAM = `
import { closeSync, openSync } from 'node:fs'
import { createEngineTrust } from './src/portal/acknowledgement/engine-client/trust.ts'
const trust = createEngineTrust({ caFile: process.argv[1], publishedCa: undefined })
const open = []
try {
  for (;;) open.push(openSync('/proc/self/status'))
} catch {}
const without = trust()
for (const file of open) closeSync(file)
const read = trust()
console.log(JSON.stringify({ isReadAgain: read !== without, isKept: trust() === read }))`

test('a CA that could not be read is read once file descriptors are available again', {
  skip: skipWithoutOpenssl,
}, (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'ca.crt')
  writeFileSync(file, makeServed('engine.example').ca.certificate)
  const node = [process.execPath, '--input-type=module', '--eval', PROGRAM, file]
  const printed = execFileSync('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...node], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  assert.deepEqual(JSON.parse(printed), { isReadAgain: true, isKept: true })
})
