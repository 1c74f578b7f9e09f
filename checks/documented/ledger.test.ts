// Runs the commands of docs/ledger.md with the ledger that it describes, and compares their output.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ACCEPTANCE_COLUMNS, ATTEMPT_COLUMNS } from '../../src/ledger/schema.ts'
import { blocksRunBy, readPage, sessions } from '../../test/deploy/command-blocks.ts'
import { databaseUrl, MAIN } from '../../test/gatewayctl/gatewayctl.ts'
import { COMPILE_CACHE } from '../../test/support/compile-cache.ts'
import { databases } from '../../test/support/databases.ts'
import { emptyLedger } from '../../test/support/ledgers.ts'
import { skipWithoutLinux } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

const PAGE = 'docs/ledger.md'
const page = readPage(PAGE)
const TEXT = 'By continuing you agree to use this network lawfully.\n'
const SHA256 = createHash('sha256').update(TEXT).digest('hex')

const DAY = '2026-11-20T12'
/** id, jti, rule_name, locale, document_source, state, requested_at, decided_at, engine_status, attempts */
const ACCEPTANCES = `
01a1f473-a1b1-7d10-8000-00000000000a B1vN8xTq2LcRm5yJd0Kw3g aup-guests en shown accepted 2026-11-19T08:15:30.001Z 2026-11-19T08:15:30.040Z 302 1
01a1fa89-7d4e-7c0b-9a3f-2f5b7e6d1c08 Zk3Qv0yqS1uYb2mXw7cD4g aup-guests en shown accepted ${DAY}:33:45.118Z ${DAY}:33:58.702Z 302 2
01a1fa8f-4052-7b9d-b1c6-0d9e4f3a2b17 -Yb7nE3uV5kPz1dQf6Ht0w aup-lab de assumed refused ${DAY}:40:02.310Z ${DAY}:40:02.344Z 403 1
01a1fa90-3d2c-7a61-8f0e-6b0d8f1c2a44 q0Xo1y6Zt8mKb4sWc2Lr9A aup-guests fr shown pending ${DAY}:41:07.020Z - - 1`
/** id, jti, asked_at, answered_at, engine_status, document_source */
const ATTEMPTS = `
01a1fa89-7d4f-7001-8000-000000000001 Zk3Qv0yqS1uYb2mXw7cD4g ${DAY}:33:45.118Z ${DAY}:33:45.160Z 403 assumed
01a1fa89-b24c-7001-8000-000000000002 Zk3Qv0yqS1uYb2mXw7cD4g ${DAY}:33:58.650Z ${DAY}:33:58.702Z 302 shown`

/** The words of each line; a hyphen stands for no value. */
const rows = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map((word) => (word === '-' ? null : word)))

test('docs/ledger.md: every command prints what the page shows', {
  skip: skipWithoutLinux,
}, async (t) => {
  const ledger = await emptyLedger(t, databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail())
  const path = ledger.dialect === 'sqlite' ? ledger.path : assert.fail()
  {
    using database = new DatabaseSync(path)
    database
      .prepare('insert into document values (?, ?, ?, ?, ?)')
      .run(SHA256, TEXT, 'text/plain', 'en', `${DAY}:00:00.000Z`)
    const insert = database.prepare(
      `insert into acceptance (id, jti, rule_name, locale, document_source, state, requested_at, decided_at, engine_status,
        attempts, policy_version, document_sha256, portal_version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const row of rows(ACCEPTANCES)) insert.run(...row, '2026-11-20', SHA256, '2026.47.0-IR')
    const insertAttempt = database.prepare(
      `insert into attempt (id, jti, asked_at, answered_at, engine_status, document_source, locale, policy_version,
        document_sha256) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const row of rows(ATTEMPTS)) insertAttempt.run(...row, 'en', '2026-11-20', SHA256)
  }
  const folder = temporaryFolder(t)
  const program = join(folder, 'gatewayctl')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 })
  const backup = join(folder, 'backup.db')
  copyFileSync(path, backup)
  const env = {
    ...COMPILE_CACHE,
    PATH: `${folder}:/usr/bin:/bin`,
    GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl(ledger),
    BACKUP: backup,
  }

  const run = async (command: string) =>
    (await promisify(execFile)('/bin/sh', ['-c', command], { env, cwd: folder })).stdout.replaceAll('\r', '')
  const documented = blocksRunBy(import.meta.filename, PAGE)
  assert.ok(documented.length >= 7)
  for (const block of documented) {
    if (block.language === 'sh') await run(block.text)
    for (const [command, output] of sessions(block)) assert.equal(await run(`${command} 2>&1`), output, command)
  }
  assert.equal(readFileSync(join(folder, 'november.csv'), 'utf8').split('\n').length, 6)
})

test('docs/ledger.md explains every column', () => {
  for (const [table, columns] of [
    ['an acceptance', ACCEPTANCE_COLUMNS],
    ['an attempt', ATTEMPT_COLUMNS],
  ] as const) {
    const [, rows = ''] = page.split(`Columns of ${table}:\n\n`)
    const [body = ''] = rows.split('\n\n')
    const explained = [...body.matchAll(/^- (`[^:]+`): /gm)].flatMap(([, names]) =>
      [...`${names}`.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    assert.ok(explained.length > 4)
    assert.deepEqual(explained.toSorted(), columns.toSorted())
  }
})
