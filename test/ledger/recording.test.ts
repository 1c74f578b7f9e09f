import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SHOWN_COLUMNS } from '../../src/ledger/derive-acceptance.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { databases, query } from '../support/databases.ts'
import { acceptanceRequest, assertUnavailable, NOW, openReplica, storedAcceptance, storedAttempts } from './fixture.ts'

const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString()
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const shownColumnsOf = (row: Record<string, unknown>) =>
  Object.fromEntries(SHOWN_COLUMNS.map((column) => [column, row[column]]))

for (const { name, skip, create } of databases) {
  describe(`recording, ${name}`, { skip }, () => {
    test('an acceptance and its attempts, column by column', async (t) => {
      const location = await create(t)
      let now = NOW
      const ledger = await openReplica(t, location, () => now)
      const request = acceptanceRequest({ clientAddress: '2001:db8::7' })
      const { reference } = request

      const assertStored = async (expected: object) =>
        assert.deepEqual({ ...(await storedAcceptance(location, reference)) }, expected)

      const first = await ledger.beginAttempt(request)
      const { id } = (await storedAcceptance(location, reference)) ?? assert.fail()
      assert.match(String(id), UUID_V7)
      const begun = {
        id,
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
      }
      await assertStored(begun)

      now += 20
      await ledger.completeAttempt(first, 403)
      await assertStored({ ...begun, state: 'refused', decided_at: at(20), engine_status: 403 })

      now += 20
      // The second tab was shown something else; nothing is accepted yet.
      const second = await ledger.beginAttempt({
        ...request,
        locale: 'fr',
        policyVersion: 'other',
        documentSha256: '0'.repeat(64),
        documentSource: 'assumed',
        clientAddress: '192.0.2.7',
      })
      const inOtherTab = {
        ...begun,
        attempts: 2,
        policy_version: 'other',
        document_sha256: '0'.repeat(64),
        document_source: 'assumed',
        locale: 'fr',
        client_address: '192.0.2.7',
      }
      await assertStored(inOtherTab)

      now += 20
      await ledger.completeAttempt(second, 302)
      const accepted = { ...inOtherTab, state: 'accepted', decided_at: at(60), engine_status: 302 }
      await assertStored(accepted)

      now += 20
      const third = await ledger.beginAttempt(request)
      await ledger.completeAttempt(third, 403)
      await assertStored({ ...accepted, attempts: 3 })

      assert.deepEqual(
        (await storedAttempts(location, reference)).map(({ jti, ...attempt }) => ({ ...attempt })),
        [
          { id: first.id, asked_at: at(0), answered_at: at(20), engine_status: 403, ...shownColumnsOf(begun) },
          { id: second.id, asked_at: at(40), answered_at: at(60), engine_status: 302, ...shownColumnsOf(inOtherTab) },
          { id: third.id, asked_at: at(80), answered_at: at(80), engine_status: 403, ...shownColumnsOf(begun) },
        ],
      )
      assert.match(first.id, UUID_V7)
    })

    test('a broken response or none leaves it pending', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const request = acceptanceRequest()
      await ledger.completeAttempt(await ledger.beginAttempt(request), 'broken')
      await ledger.completeAttempt(await ledger.beginAttempt(request), 'none')
      await ledger.completeAttempt(await ledger.beginAttempt(request), 403)
      assert.equal((await storedAcceptance(location, request.reference))?.state, 'pending')
      const attempts = await storedAttempts(location, request.reference)
      assert.deepEqual(
        attempts.map(({ answered_at, engine_status }) => `${answered_at} ${engine_status}`),
        [`${at(0)} null`, 'null null', `${at(0)} 403`],
      )
    })

    test('an attempt keeps its first outcome', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const request = acceptanceRequest()
      const attempt = await ledger.beginAttempt(request)
      await ledger.completeAttempt(attempt, 403)
      await ledger.completeAttempt(attempt, 302)
      const stored = await storedAcceptance(location, request.reference)
      assert.deepEqual([stored?.state, stored?.engine_status], ['refused', 403])
      // One of an acceptance that was deleted.
      await assertUnavailable(ledger.completeAttempt({ id: 'x', reference: 'y' }, 302))
    })

    test('accepted is final, even if the attempt that was accepted is missing', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const request = acceptanceRequest()
      await ledger.completeAttempt(await ledger.beginAttempt(request), 302)
      await query(location, 'delete from attempt')
      await ledger.completeAttempt(await ledger.beginAttempt(request), 403)
      assert.equal((await storedAcceptance(location, request.reference))?.state, 'accepted')
    })

    test('80 at once for one verdict, on two replicas: 50 are recorded; another verdict is, too', async (t) => {
      const location = await create(t)
      const open = () => openLedger(location, { clock: () => NOW, migrate: true })
      const [one, other] = [await open(), await open()]
      t.after(() => Promise.all([one.close(), other.close()]))
      const request = acceptanceRequest()
      const begun: string[] = []
      let exhausted = 0
      // In waves: the queue's timeout is not tested here.
      for (let wave = 0; wave < 10; wave++) {
        const ledgers = [one, other, one, other, one, other, one, other]
        for (const answer of await Promise.all(ledgers.map((ledger) => ledger.beginAttempt(request)))) {
          if (answer === 'exhausted') exhausted++
          else begun.push(answer.id)
        }
      }
      assert.deepEqual([begun.length, exhausted], [50, 30])
      const before = await storedAcceptance(location, request.reference)
      assert.equal(before?.attempts, 50)
      assert.equal(await one.beginAttempt({ ...request, locale: 'fr' }), 'exhausted')
      assert.deepEqual(await storedAcceptance(location, request.reference), before)
      assert.notEqual(await one.beginAttempt(acceptanceRequest()), 'exhausted')
      assert.equal(one.tally.writeFailures.attempts, 0)
      const stored = await storedAttempts(location, request.reference)
      assert.deepEqual(stored.map(({ id }) => id).sort(), begun.sort())
    })

    test('a document is stored once', async (t) => {
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

    test('hostile text is stored unchanged', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      for (const text of [
        '\u{1F3B2} \u{10FFFF}',
        `'"; drop table acceptance; -- \\ %s $1 ?`,
        '\u202e\u2028\r\n\t\x01\x7f',
      ]) {
        const request = acceptanceRequest({ ruleName: text, policyVersion: text, locale: text })
        await ledger.beginAttempt(request)
        const stored = await storedAcceptance(location, request.reference)
        assert.deepEqual([stored?.rule_name, stored?.policy_version, stored?.locale], [text, text, text])
      }
    })

    test('NUL, and half a surrogate pair, are rejected, and nothing is stored', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      for (const text of ['rule\0example', 'rule\ud83c']) {
        await assertUnavailable(ledger.beginAttempt(acceptanceRequest({ ruleName: text })), /ruleName/)
        await assertUnavailable(ledger.keepDocument({ sha256: 'ab', text, mediaType: 'text/plain', locale: 'en' }))
      }
      assert.deepEqual(await query(location, 'select 1 from acceptance union all select 1 from document'), [])
    })

    test('closing waits for transactions in progress and rejects new ones', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const requests = Array.from({ length: 20 }, () => acceptanceRequest())
      const begun = Promise.all(requests.map((request) => ledger.beginAttempt(request)))
      const closing = ledger.close()
      await assertUnavailable(ledger.beginAttempt(acceptanceRequest()), /closed/)
      await closing
      await begun
      await assertUnavailable(ledger.ping())
      await ledger.close()
      assert.equal((await query(location, 'select id from acceptance')).length, 20)
    })
  })
}
