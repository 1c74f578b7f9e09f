// `portal acceptances show`: one acceptance, and the exact text that was accepted.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { acceptanceRequest, openReplica, storedAcceptance } from '../ledger/fixture.ts'
import { databases, query } from '../support/databases.ts'
import { emptyLedger } from '../support/ledgers.ts'
import { gatewayctl, onTerminal, skipWithoutScript } from './gatewayctl.ts'

const SHOW = ['portal', 'acceptances', 'show']
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const TEXT = '# Richtlinie\r\n\r\nÜber „alles“ 🛑\u001b[2J\u202e\n\tEnde ohne Zeilenende'
const SHA256 = createHash('sha256').update(TEXT).digest('hex')

async function ledgerWithText(
  t: TestContext,
  database = sqlite,
  references: readonly string[] = ['verdict-with-the-text0'],
) {
  const location = await emptyLedger(t, database)
  let now = Date.UTC(2026, 10, 20, 12)
  const replica = await openReplica(t, location, () => now++)
  await replica.keepDocument({ sha256: SHA256, text: TEXT, mediaType: 'text/markdown', locale: 'de' })
  for (const reference of references) {
    const request = acceptanceRequest({ reference, documentSha256: SHA256 })
    const before = {
      locale: 'en',
      policyVersion: 'previous',
      documentSource: 'assumed',
      clientAddress: '192.0.2.7',
    } as const
    await replica.completeAttempt(await replica.beginAttempt({ ...request, ...before }), 403)
    await replica.completeAttempt(await replica.beginAttempt(request), 302)
  }
  return location
}

for (const database of databases) {
  describe(`show, ${database.name}`, { skip: database.skip }, () => {
    test('the record, its attempts and its text; as JSON; the text alone', async (t) => {
      const ledger = await ledgerWithText(t, database)
      const stored = await storedAcceptance(ledger, 'verdict-with-the-text0')
      const attempts = await query(ledger, 'select * from attempt order by asked_at')
      const [human, byId, json, text] = await Promise.all([
        gatewayctl([...SHOW, 'verdict-with-the-text0'], { ledger }),
        gatewayctl([...SHOW, `${stored?.id}`], { ledger }),
        gatewayctl([...SHOW, '--json', 'verdict-with-the-text0'], { ledger }),
        gatewayctl([...SHOW, '--text', 'verdict-with-the-text0'], { ledger }),
      ])
      assert.deepEqual(byId, human)
      assert.deepEqual(human, {
        status: 0,
        stderr: '',
        stdout: `\
id               ${stored?.id}
jti              verdict-with-the-text0
rule_name        rule-example
policy_version   2026-11-20
document_sha256  ${SHA256}
locale           de
document_source  shown
state            accepted
requested_at     2026-11-20T12:00:00.001Z
decided_at       2026-11-20T12:00:00.004Z
engine_status    302
attempts         2
portal_version   2026.47.0-IR
client_address   -

Attempt 1
id               ${attempts[0]?.id}
asked_at         2026-11-20T12:00:00.001Z
answered_at      2026-11-20T12:00:00.002Z
engine_status    403
policy_version   previous
document_sha256  ${SHA256}
locale           en
document_source  assumed
client_address   192.0.2.7

Attempt 2
id               ${attempts[1]?.id}
asked_at         2026-11-20T12:00:00.003Z
answered_at      2026-11-20T12:00:00.004Z
engine_status    302
policy_version   2026-11-20
document_sha256  ${SHA256}
locale           de
document_source  shown
client_address   -

The text (text/markdown, de)
# Richtlinie

Über „alles“ 🛑\\u{1b}[2J\\u{202e}
\tEnde ohne Zeilenende
`,
      })
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
  const references = [
    '-habcdefghijklmnopqrst',
    '-Vabcdefghijklmnopqrst',
    '--abcdefghijklmnopqrst',
    '---------------------h',
  ]
  const ledger = await ledgerWithText(t, sqlite, references)
  const given = [...references, `'${references[0]}`]
  const outcomes = await Promise.all(given.map((reference) => gatewayctl([...SHOW, reference, '--json'], { ledger })))
  assert.deepEqual(
    outcomes.map(({ stdout, stderr }) => (stderr === '' ? JSON.parse(stdout).acceptance.jti : stderr)),
    [...references, references[0]],
  )
})

test('a missing or altered text: exit code 1', async (t) => {
  const ledger = await ledgerWithText(t)
  await query(ledger, `update document set text = text || '!'`)
  const altered = await gatewayctl([...SHOW, 'verdict-with-the-text0'], { ledger })
  await query(ledger, 'delete from document')
  const missing = await gatewayctl([...SHOW, 'verdict-with-the-text0'], { ledger })
  const missingText = await gatewayctl([...SHOW, 'verdict-with-the-text0', '--text'], { ledger })
  const unknown = await gatewayctl([...SHOW, 'no\u001bsuch'], { ledger })
  assert.deepEqual(
    [altered, missing, missingText, unknown].map(({ status }) => status),
    [1, 1, 1, 1],
  )
  assert.match(altered.stdout, /Ende ohne Zeilenende!\n$/)
  assert.match(
    altered.stderr,
    new RegExp(`^error: the text has been altered: its SHA-256 is [0-9a-f]{64}, not ${SHA256}\n$`),
  )
  assert.match(missing.stdout, /^state +accepted$/m)
  assert.equal(missing.stderr, `error: the text with SHA-256 ${SHA256} is not in this ledger\n`)
  assert.equal(missingText.stdout, '')
  assert.equal(unknown.stderr, 'error: no acceptance has the id or jti no\\u{1b}such\n')
})

test('on a terminal the text is escaped', { skip: skipWithoutScript }, async (t) => {
  const ledger = await ledgerWithText(t)
  const [human, text] = await Promise.all([
    onTerminal([...SHOW, 'verdict-with-the-text0'], { ledger }),
    onTerminal([...SHOW, 'verdict-with-the-text0', '--text'], { ledger }),
  ])
  assert.match(human.screen, /\u001b\[32maccepted/)
  for (const { status, screen } of [human, text]) {
    assert.equal(status, 0)
    assert.match(screen, /🛑\\u\{1b\}\[2J\\u\{202e\}\r\n/)
    assert.ok(!screen.includes('\u001b[2J'))
  }
})
