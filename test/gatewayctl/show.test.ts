// `portal acceptances show`: one acceptance, and the exact text that was accepted.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { acceptanceRequest, openReplica, storedAcceptance } from '../ledger/fixture.ts'
import { databases, query } from '../support/databases.ts'
import { emptyLedger } from '../support/ledgers.ts'
import { gatewayctl, onTerminal, skipWithoutScript } from './gatewayctl.ts'

const SHOW = ['portal', 'acceptances', 'show']
const REFERENCE = 'verdict-with-the-text0'
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const TEXT = '# Richtlinie\r\n\r\nÜber „alles“ 🛑\u001b[2J\u202e\n\tEnde ohne Zeilenende'
const SHA256 = createHash('sha256').update(TEXT).digest('hex')

async function ledgerWithText(t: TestContext, database = sqlite, references: readonly string[] = [REFERENCE]) {
  const location = await emptyLedger(t, database)
  let now = Date.UTC(2026, 10, 20, 12)
  const replica = await openReplica(t, location, () => now++)
  await replica.keepDocument({ sha256: SHA256, text: TEXT, mediaType: 'text/markdown', locale: 'de' })
  for (const reference of references) {
    const request = acceptanceRequest({ reference, documentSha256: SHA256 })
    const before = { ...request, locale: 'en', policyVersion: 'previous', clientAddress: '192.0.2.7' }
    await replica.completeAttempt(await replica.beginAttempt({ ...before, documentSource: 'assumed' }), 403)
    await replica.completeAttempt(await replica.beginAttempt(request), 302)
  }
  return location
}

for (const database of databases) {
  describe(`show, ${database.name}`, { skip: database.skip }, () => {
    test('the record, its attempts and its text; as JSON; the text alone', async (t) => {
      const ledger = await ledgerWithText(t, database)
      const stored = await storedAcceptance(ledger, REFERENCE)
      const attempts = await query(ledger, 'select * from attempt order by asked_at')
      const [human, byId, json, text] = await Promise.all([
        gatewayctl([...SHOW, REFERENCE], { ledger }),
        gatewayctl([...SHOW, `${stored?.id}`], { ledger }),
        gatewayctl([...SHOW, '--json', REFERENCE], { ledger }),
        gatewayctl([...SHOW, '--text', REFERENCE], { ledger }),
      ])
      assert.deepEqual(byId, human)
      assert.deepEqual([human.status, human.stderr], [0, ''])
      const parts = human.stdout.split('\n\n').map((part) => part.split('\n'))
      for (const [index, row] of [stored, ...attempts.map(({ jti, ...attempt }) => attempt)].entries()) {
        for (const [name, value] of Object.entries(row ?? {})) {
          assert.ok(parts[index]?.includes(`${name.padEnd(17)}${value ?? '-'}`), `${name} of part ${index}`)
        }
      }
      const escaped = '# Richtlinie\n\nÜber „alles“ 🛑\\u{1b}[2J\\u{202e}\n\tEnde ohne Zeilenende\n'
      assert.ok(human.stdout.endsWith(`\n\nThe text (text/markdown, de)\n${escaped}`), human.stdout)
      assert.deepEqual(text, { status: 0, stderr: '', stdout: TEXT })
      const { acceptance, document } = JSON.parse(json.stdout)
      const { attempt_records, ...record } = acceptance
      assert.deepEqual(record, { ...stored })
      assert.deepEqual(
        attempt_records,
        attempts.map(({ jti, ...attempt }) => attempt),
      )
      assert.equal(document.text, TEXT)
      assert.doesNotMatch(json.stdout.replaceAll('\n', ''), /\p{C}/u)
    })
  })
}

test('a verdict’s id that looks like an option, and one from a CSV cell', async (t) => {
  const references = ['-habcdefghijklmnopqrst', '-Vabcdefghijklmnopqrst', '--abcdefghijklmnopqrst']
  const ledger = await ledgerWithText(t, sqlite, references)
  for (const given of [...references, `'${references[0]}`]) {
    const { stdout, stderr } = await gatewayctl([...SHOW, given, '--json'], { ledger })
    assert.equal(JSON.parse(stdout).acceptance.jti, given.replace("'", ''), stderr)
  }
})

test('a missing or altered text: exit code 1', async (t) => {
  const ledger = await ledgerWithText(t)
  await query(ledger, `update document set text = text || '!'`)
  const altered = await gatewayctl([...SHOW, REFERENCE], { ledger })
  await query(ledger, 'delete from document')
  const missing = await gatewayctl([...SHOW, REFERENCE], { ledger })
  const missingText = await gatewayctl([...SHOW, REFERENCE, '--text'], { ledger })
  const unknown = await gatewayctl([...SHOW, 'no\u001bsuch'], { ledger })
  for (const { status } of [altered, missing, missingText, unknown]) assert.equal(status, 1)
  assert.match(altered.stdout, /Ende ohne Zeilenende!\n$/)
  assert.match(altered.stderr, /^error: the text has been altered: its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}\n$/)
  assert.match(missing.stdout, /^state +accepted$/m)
  assert.equal(missing.stderr, `error: the text with SHA-256 ${SHA256} is not in this ledger\n`)
  assert.equal(missingText.stdout, '')
  assert.equal(unknown.stderr, 'error: no acceptance has the id or jti no\\u{1b}such\n')
})

test('on a terminal the text alone is escaped, too', { skip: skipWithoutScript }, async (t) => {
  const { status, screen } = await onTerminal([...SHOW, REFERENCE, '--text'], { ledger: await ledgerWithText(t) })
  assert.equal(status, 0)
  assert.match(screen, /🛑\\u\{1b\}\[2J\\u\{202e\}\r\n/)
  assert.ok(!screen.includes('\u001b[2J'))
})
