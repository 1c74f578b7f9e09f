// The audit log: a real portal produces every event, and each of its lines is checked against the published schema.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { deriveKeyring } from '../../../src/contract/secret.ts'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { ACKNOWLEDGEMENT_RESULTS, PAYLOAD_REASONS } from '../../../src/portal/event.ts'
import { auditEvents } from '../../../src/portal/monitoring/audit-events.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { ACK_TOKEN, claims, keyring, payloadOf, SECRET, verdictQuery, verdictTarget } from '../../support/payloads.ts'
import { startPortalProcess } from '../../support/portal-process.ts'
import { until } from '../../support/until.ts'
import { getBytes } from '../acknowledgement/relay.ts'
import { exchange, exchangeBytes, type RequestHeaders } from '../exchange.ts'

type Line = Readonly<Record<string, unknown>>

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const SCHEMA = JSON.parse(read('audit-log.schema.json'))
const holds = new Ajv2020({ validateFormats: false }).compile(SCHEMA)
const DESTINATION = 'https://zqhost.example/zqpath'
const CODE = 'zqcode-1234'

// It is asked for its health document at the start.
const engine = await startHostileEngine(undefined, respondWith(rawResponse('404 Not Found')))
after(engine.close)
const portal = startPortalProcess({ after }, { ENGINE_INTERNAL_URL: engine.url, ENGINE_TIMEOUT_SECONDS: '1' })
const at = { port: Number(new URL(await portal.listening).port) }

const now = () => Math.floor(Date.now() / 1000)
const events = () => portal.lines.map((line) => JSON.parse(line) as Line).filter(({ event }) => event !== undefined)

/** The events that this produces, checked against the schema. */
async function eventsOf(work: () => Promise<unknown>, count = 1): Promise<readonly Line[]> {
  const seen = events().length
  await work()
  await until(() => events().length >= seen + count)
  const found = events().slice(seen)
  assert.equal(found.length, count, JSON.stringify(found))
  for (const line of found) assert.ok(holds(line), `${JSON.stringify(holds.errors)}: ${JSON.stringify(line)}`)
  return found
}

async function eventOf(target: string, headers: RequestHeaders = {}, method = 'GET'): Promise<Line> {
  const [line = {}] = await eventsOf(() => exchange(at, target, headers, method))
  return line
}

/** Returns the claims, and the target of their acknowledgement. */
function acknowledgement(changes: Partial<VerdictClaims> = {}) {
  const sealed = claims(now(), { kind: 'aup', ack_token: ACK_TOKEN, destination: DESTINATION, ...changes })
  return { sealed, target: `/api/captive/ack?${verdictQuery(sealed)}` }
}

const PASSPHRASE = { override: { type: 'passphrase' } } as const

describe('the documentation', () => {
  test('explains every outcome and every refusal', () => {
    const page = read('audit-log.md')
    for (const word of [...ACKNOWLEDGEMENT_RESULTS, ...PAYLOAD_REASONS].filter((word) => word !== 'claim')) {
      assert.ok(page.includes(`\n- \`${word}\`: `), word)
    }
  })
  test('its schema rejects unknown members, messages and events', () => {
    const request = { method: 'GET', route: '/ca', status: 200, milliseconds: 0.1, msg: 'request' }
    const line = { level: 30, time: '2026-11-21T12:00:00.000Z', event: 'request', ...request }
    assert.equal(holds(line), true)
    assert.equal(holds({ ...line, address: 'x' }), false)
    assert.equal(holds({ ...line, msg: 'other' }), false)
    assert.equal(holds({ ...line, event: 'other' }), false)
  })
})

describe('every event', { timeout: 60_000 }, () => {
  test('the start, with the configuration and none of its secrets', () => {
    const [start] = events()
    assert.ok(holds(start), JSON.stringify(holds.errors))
    assert.equal(start?.event, 'start')
    assert.match(JSON.stringify(start), /"ackPath":"\/api\/captive\/ack"/)
    assert.doesNotMatch(JSON.stringify(start), new RegExp(`${SECRET}|kP3-session-key`))
  })

  test('a verdict page', async () => {
    for (const kind of ['block', 'warn', 'aup'] as const) {
      const sealed = claims(now(), { kind, destination: DESTINATION })
      const { level, time, milliseconds, ...said } = await eventOf(verdictTarget(sealed))
      const route = { block: '/blocked', warn: '/warned', aup: '/aup' }[kind]
      const request = { method: 'GET', route, status: 200, msg: 'request' }
      assert.deepEqual(said, { ...request, event: 'verdict.shown', kind, reference: sealed.jti, rule: 'rule-example' })
    }
  })

  const otherKeys = deriveKeyring(['other-secret-0123456789abcdef-0123456789'])
  const sealedWith = (changes: object, key = keyring.sealing) => {
    const sealed = { ...claims(now()), ...changes }
    return `/blocked?p=${payloadOf(sealed, key)}&v=1&ts=${sealed.ts}`
  }
  const refusals: Readonly<Record<string, () => string>> = {
    length: () => `/blocked?${'x'.repeat(7500)}`,
    query: () => '/blocked?p=x',
    version: () => sealedWith({}).replace('v=1', 'v=2'),
    form: () => `/blocked?p=x&v=1&ts=${now()}`,
    key: () => sealedWith({}, otherKeys.sealing),
    tag: () => sealedWith({}).replace(/\.[\w-]{16}\./, `.${'A'.repeat(16)}.`),
    'claim rule_name': () => sealedWith({ rule_name: '' }),
    'ts mismatch': () => sealedWith({}).replace(/ts=\d+/, `ts=${now() - 7}`),
    'kind mismatch': () => verdictTarget(claims(now())).replace('/blocked', '/aup'),
    'no ack_token': () => `/api/captive/ack?${verdictQuery(claims(now(), { kind: 'warn' }))}`,
    expired: () => verdictTarget(claims(now() - 400)),
  }
  const OPENED = ['kind mismatch', 'no ack_token', 'expired']
  for (const [reason, target] of Object.entries(refusals)) {
    test(`a refused payload: ${reason}`, async () => {
      const line = await eventOf(target())
      assert.deepEqual([line.event, line.refusal], ['payload.refused', reason])
      assert.equal(typeof line.reference, OPENED.includes(reason) ? 'string' : 'undefined')
    })
  }

  const answers: Readonly<Record<string, Buffer | undefined>> = {
    redirect: rawResponse('302 Found', [`Location: ${DESTINATION}`]),
    refused: rawResponse('403 Forbidden'),
    rejected: rawResponse('401 Unauthorized'),
    broken: rawResponse('200 OK'),
    late: undefined,
  }
  for (const [outcome, bytes] of Object.entries(answers)) {
    test(`an acknowledgement: ${outcome}`, async () => {
      engine.behave(bytes === undefined ? () => {} : respondWith(bytes))
      const { target, sealed } = acknowledgement(PASSPHRASE)
      const line = await eventOf(target, { 'X-Override-Code': CODE })
      assert.deepEqual(
        [line.event, line.outcome, line.reference, line.kind],
        ['acknowledgement', outcome, sealed.jti, 'aup'],
      )
      assert.equal(line.level, ['rejected', 'broken', 'late'].includes(outcome) ? 50 : 30)
      if (outcome === 'rejected') assert.match(`${line.reason}`, /^status 401: ENGINE_API_TOKEN must /)
    })
  }

  test('an acknowledgement that is not sent to the engine', async () => {
    const asked = engine.connections.length
    const { target } = acknowledgement(PASSPHRASE)
    const unasked = [
      await eventOf(target, { 'Sec-Purpose': 'prefetch' }),
      await eventOf(target, { 'Sec-Fetch-Site': 'cross-site' }),
      await eventOf(target),
    ]
    assert.deepEqual(
      unasked.map(({ event, outcome }) => [event, outcome]),
      ['prefetch', 'crossSite', 'codeMalformed'].map((outcome) => ['acknowledgement', outcome]),
    )
    assert.equal(engine.connections.length, asked)
  })

  test('a lockout, with its duration', async () => {
    engine.behave(respondWith(rawResponse('429 Too Many Requests', ['Retry-After: 843'])))
    const { target, sealed } = acknowledgement(PASSPHRASE)
    const line = await eventOf(target, { 'X-Override-Code': CODE })
    assert.deepEqual([line.event, line.outcome, line.retryAfter], ['lockout', 'lockedOut', 843])
    assert.equal(line.reference, sealed.jti)
  })

  test('a failed record, before and after the request to the engine', async () => {
    engine.behave(respondWith(rawResponse('302 Found', [`Location: ${DESTINATION}`])))
    const failing = async (when: 'insert on acceptance' | 'update on attempt') => {
      using database = new DatabaseSync(portal.databasePath, { timeout: 2_000 })
      database.exec(`create trigger fault before ${when} begin select raise(abort, 'a fault'); end`)
      const { target, sealed } = acknowledgement()
      const lines = await eventsOf(() => exchange(at, target), 2)
      database.exec('drop trigger fault')
      for (const { reference } of lines) assert.equal(reference, sealed.jti)
      return lines.map(({ event, outcome }) => [event, outcome])
    }
    assert.deepEqual(await failing('insert on acceptance'), [
      ['record.failed', undefined],
      ['acknowledgement', 'recordUnavailable'],
    ])
    assert.deepEqual(await failing('update on attempt'), [
      ['record.failed', 'redirect'],
      ['acknowledgement', 'redirect'],
    ])
  })

  test('any other request, one that shows nothing, and a rejected one', async () => {
    for (const target of ['/zqpath?zq=%0d%0a', '//zq', `/${'zq'.repeat(3000)}`]) {
      const { event, route, status } = await eventOf(target)
      assert.deepEqual([event, route, status], ['request', 'other', 404])
    }
    const verdict = verdictTarget(claims(now()))
    assert.equal((await eventOf(verdict, {}, 'HEAD')).event, 'request')
    assert.equal((await eventOf(verdict, { 'Sec-Purpose': 'prefetch' })).event, 'request')
    const [gate] = await eventsOf(() => exchangeBytes(at, getBytes('/', ['Content-Length: 1']).concat('x')))
    assert.deepEqual([gate?.event, gate?.refusal], ['request', 'body'])
  })

  test('a head of the ledger, when a portal stops', async (t) => {
    const other = startPortalProcess(t, {})
    await other.listening
    other.child.kill('SIGINT')
    assert.equal(await other.ended, 0)
    const head: Line = JSON.parse(other.lines.find((line) => line.includes('ledger.head')) ?? '{}')
    assert.ok(holds(head), `${JSON.stringify(holds.errors)}: ${JSON.stringify(head)}`)
    assert.deepEqual([head.event, head.number, head.size], ['ledger.head', 1, 0])
  })

  test('all events occurred, and none contains a secret', () => {
    const seen = new Set(['ledger.head', ...events().map(({ event }) => event)])
    assert.deepEqual(seen, new Set(auditEvents.map(({ shape }) => shape.event.value)))
    assert.doesNotMatch(portal.lines.join('\n'), /zq(host|path|code|zq)/)
    assert.doesNotMatch(portal.lines.join('\n'), /"p"|eyJ/)
  })
})

describe('always one line, with hostile text in', () => {
  const HOSTILE = '"}\r\n{"level":60,"event":"forged","msg":"x"}\n\u2028\u2029\u0085\u001b[2K\u009b2K\u202e\0'
  const FORGED = '"}{"level":60,"event":"forged"}'

  test('claims', async () => {
    const sealed = claims(now(), { rule_name: HOSTILE, category: HOSTILE, rule_description: HOSTILE })
    assert.equal((await eventOf(verdictTarget(sealed))).rule, HOSTILE)
  })
  test('path, query and headers', async () => {
    const requests = [
      getBytes(`/${encodeURI(HOSTILE)}?${FORGED}`, [`User-Agent: ${FORGED}`]),
      getBytes(`/${FORGED}`, [`Referer: ${FORGED}\u0085`, `Cookie: ${FORGED}`, `X-Forwarded-For: ${FORGED}`]),
    ]
    for (const bytes of requests) {
      const [line] = await eventsOf(() => exchangeBytes(at, bytes))
      assert.deepEqual([line?.event, line?.route, line?.status], ['request', 'other', 404])
    }
  })
  test('the engine’s response', async () => {
    engine.behave(respondWith(`HTTP/1.1 302 \u0085${FORGED}\r\nLocation: x${FORGED}\r\n\r\n`))
    const line = await eventOf(acknowledgement().target)
    assert.deepEqual([line.event, line.outcome], ['acknowledgement', 'broken'])
  })
  after(() => {
    // Nothing that a reader could treat as a line break, or a terminal as a command.
    assert.doesNotMatch(portal.lines.join(''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    assert.ok(portal.lines.every((line) => JSON.parse(line).event !== 'forged'))
  })
})
