import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases, query } from '../support/databases.ts'
import { acceptanceRequest, assertUnavailable, NOW, openReplica, storedAcceptance, storedAttempts } from './fixture.ts'

const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString()
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

for (const { name, skip, skipSessions, create } of databases) {
  describe(`recording, ${name}`, { skip }, () => {
    test('an acceptance and its attempts, column by column', async (t) => {
      const location = await create(t)
      let now = NOW
      const ledger = await openReplica(t, location, () => now)
      const request = acceptanceRequest({ clientAddress: '2001:db8::7' })
      const { reference } = request

      const first = await ledger.beginAttempt(request)
      const begun = await storedAcceptance(location, reference)
      assert.match(String(begun?.id), UUID_V7)
      assert.deepEqual(
        { ...begun },
        {
          id: begun?.id,
          jti: reference,
          rule_name: 'rule-example',
          policy_version: '2026-11-20',
          document_sha256: request.documentSha256,
          document_source: 'shown',
          locale: 'de',
          state: 'pending',
          requested_at: at(0),
          decided_at: null,
          engine_status: null,
          attempts: 1,
          portal_version: '2026.47.0-IR',
          client_address: '2001:db8::7',
        },
      )

      now += 20
      await ledger.completeAttempt(first, 403)
      const refused = { ...begun, state: 'refused', decided_at: at(20), engine_status: 403 }
      assert.deepEqual({ ...(await storedAcceptance(location, reference)) }, refused)

      now += 20
      // What was recorded first stays, whatever the second tab was shown.
      const second = await ledger.beginAttempt({ ...request, locale: 'fr', policyVersion: 'other' })
      assert.deepEqual({ ...(await storedAcceptance(location, reference)) }, { ...begun, attempts: 2 })

      now += 20
      await ledger.completeAttempt(second, 302)
      const accepted = { ...begun, attempts: 2, state: 'accepted', decided_at: at(60), engine_status: 302 }
      assert.deepEqual({ ...(await storedAcceptance(location, reference)) }, accepted)

      now += 20
      const third = await ledger.beginAttempt(request)
      await ledger.completeAttempt(third, 403)
      assert.deepEqual({ ...(await storedAcceptance(location, reference)) }, { ...accepted, attempts: 3 })

      assert.deepEqual(
        (await storedAttempts(location, reference)).map((attempt) => ({ ...attempt })),
        [
          { id: first.id, jti: reference, asked_at: at(0), answered_at: at(20), engine_status: 403 },
          { id: second.id, jti: reference, asked_at: at(40), answered_at: at(60), engine_status: 302 },
          { id: third.id, jti: reference, asked_at: at(80), answered_at: at(80), engine_status: 403 },
        ],
      )
      assert.match(first.id, UUID_V7)
    })

    test('a broken answer and none leave it pending', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const request = acceptanceRequest()
      await ledger.completeAttempt(await ledger.beginAttempt(request), 'broken')
      await ledger.completeAttempt(await ledger.beginAttempt(request), 'none')
      await ledger.completeAttempt(await ledger.beginAttempt(request), 403)
      assert.equal((await storedAcceptance(location, request.reference))?.state, 'pending')
      assert.deepEqual(
        (await storedAttempts(location, request.reference)).map(({ answered_at, engine_status }) => [
          answered_at,
          engine_status,
        ]),
        [
          [at(0), null],
          [null, null],
          [at(0), 403],
        ],
      )
    })

    test('the first answer of an attempt stays', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const request = acceptanceRequest()
      const attempt = await ledger.beginAttempt(request)
      await ledger.completeAttempt(attempt, 403)
      await ledger.completeAttempt(attempt, 302)
      const stored = await storedAcceptance(location, request.reference)
      assert.deepEqual([stored?.state, stored?.engine_status], ['refused', 403])
    })

    test('an answer to an acceptance that is gone is a failure', async (t) => {
      const ledger = await openReplica(t, await create(t))
      await assertUnavailable(ledger.completeAttempt({ id: 'x', reference: 'y' }, 302))
    })

    test('50 at once for one verdict, on two replicas: one acceptance', { skip: skipSessions }, async (t) => {
      const location = await create(t)
      const replicas = await Promise.all([openReplica(t, location), openReplica(t, location)])
      const request = acceptanceRequest()
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const ledger = replicas[index % 2] ?? assert.fail()
          await ledger.completeAttempt(await ledger.beginAttempt(request), index === 30 ? 302 : 403)
        }),
      )
      const stored = await storedAcceptance(location, request.reference)
      assert.deepEqual([stored?.state, stored?.engine_status, stored?.attempts], ['accepted', 302, 50])
      const attempts = await storedAttempts(location, request.reference)
      assert.equal(attempts.filter(({ answered_at }) => answered_at === at(0)).length, 50)
    })

    test('a document is kept once', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const document = { sha256: 'ab'.repeat(32), text: '# Règles 🎲\n', mediaType: 'text/markdown', locale: 'fr' }
      await Promise.all([ledger.keepDocument(document), ledger.keepDocument({ ...document, locale: 'en' })])
      await ledger.keepDocument(document)
      const [kept, ...more] = await query(location, 'select * from document')
      assert.deepEqual(
        [kept?.sha256, kept?.text, kept?.media_type, kept?.kept_at, more],
        [document.sha256, document.text, document.mediaType, at(0), []],
      )
    })

    const hostile = [
      '\u{1F3B2} \u{10FFFF}',
      `'"; drop table acceptance; --`,
      '\\ %s $1 ? :x',
      '\u202e\u2028\r\n\t\x01\x7f',
    ]
    test('hostile text is stored as it is', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      for (const text of hostile) {
        const request = acceptanceRequest({ ruleName: text, policyVersion: text, locale: text })
        await ledger.beginAttempt(request)
        const stored = await storedAcceptance(location, request.reference)
        assert.deepEqual([stored?.rule_name, stored?.policy_version, stored?.locale], [text, text, text])
      }
    })

    for (const [what, text] of [
      ['NUL', 'rule\0example'],
      ['half a surrogate pair', 'rule\ud83c'],
    ] as const) {
      test(`${what} is refused whole`, async (t) => {
        const location = await create(t)
        const ledger = await openReplica(t, location)
        await assertUnavailable(ledger.beginAttempt(acceptanceRequest({ ruleName: text })), /ruleName/)
        await assertUnavailable(ledger.keepDocument({ sha256: 'ab', text, mediaType: 'text/plain', locale: 'en' }))
        assert.deepEqual(await query(location, 'select 1 from acceptance union all select 1 from document'), [])
      })
    }

    test('a closed ledger is unavailable', async (t) => {
      const ledger = await openReplica(t, await create(t))
      await ledger.ping()
      await ledger.close()
      await assertUnavailable(ledger.ping())
      await assertUnavailable(ledger.beginAttempt(acceptanceRequest()))
      await ledger.close()
    })

    test('closing waits for what is under way and takes nothing new', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const requests = Array.from({ length: 20 }, () => acceptanceRequest())
      const begun = Promise.all(requests.map((request) => ledger.beginAttempt(request)))
      const closing = ledger.close()
      await assertUnavailable(ledger.beginAttempt(acceptanceRequest()), /closed/)
      await closing
      await begun
      assert.equal((await query(location, 'select id from acceptance')).length, 20)
    })
  })
}
