// `acceptances export --output` synced the file before renaming it into place, but not the folder afterwards: after a
// power cut the folder could still contain the previous export, although the command had reported success; since the
// first version that wrote exports to files. Files that gatewayctl replaces (the control) were always synced with their
// folder.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gatewayctlProcess, type Surroundings } from '../gatewayctl/gatewayctl.ts'
import { databases } from '../support/databases.ts'
import { emptyLedger, fill } from '../support/ledgers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PRELOAD = ['--import', new URL('../gatewayctl/record-syncs.ts', import.meta.url).href]
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()

/** Runs a command that writes `path`, and checks the order of its file operations. */
async function assertDurable(path: string, args: readonly string[], surroundings: Surroundings = {}): Promise<void> {
  const log = `${path}.syncs`
  const env = { ...surroundings.env, SYNC_LOG: log }
  const { status, stderr } = await gatewayctlProcess(args, { ...surroundings, env, nodeOptions: PRELOAD })
  assert.equal(status, 0, stderr)
  const events = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const file = statSync(path).ino
  const renamed = events.findIndex((event) => event.renamed === file && event.to === path)
  assert.ok(renamed >= 0, JSON.stringify(events))
  const isSynced = (path: string, from: number, to?: number) =>
    events.slice(from, to).some(({ synced }) => synced === statSync(path).ino)
  assert.ok(isSynced(path, 0, renamed), `the file before its rename: ${JSON.stringify(events)}`)
  assert.ok(isSynced(dirname(path), renamed), `the folder after it: ${JSON.stringify(events)}`)
}

test('an export is synced, then renamed, then its folder is synced', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 3)
  const path = join(temporaryFolder(t), 'acceptances.csv')
  await assertDurable(path, ['portal', 'acceptances', 'export', '--output', path], { ledger })
})

test('control: a replaced file is synced the same way', async (t) => {
  const path = join(temporaryFolder(t), 'secret')
  writeFileSync(path, 'the-0ld-secret-of-this-test-0123456789abc\n')
  await assertDurable(path, ['secret', 'rotate', '--file', path])
})
