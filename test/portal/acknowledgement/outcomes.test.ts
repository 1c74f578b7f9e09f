// Every row of the table in protocol v1, section 2: the engine's response, the portal's response to a navigation and to the
// Unlock fetch, and the ledger's state. What counts as which response: engine-client/response.test.ts.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { en } from '../../../src/portal/page/i18n/en.ts'
import { SIGNS } from '../../../src/portal/page/sign.ts'
import { problemResponse, rawResponse, respondWith } from '../../support/hostile-engine.ts'
import { exchange } from '../exchange.ts'
import {
  acceptanceOf,
  acknowledgement,
  assertOwnResponse,
  attemptsOf,
  PASSPHRASE,
  requestLine,
  startRelay,
} from './relay.ts'

const LATE = 'the engine says nothing'
const CODE = 'Sesam öffne dich 🗝'
const WAY_BACK = 'href="https://news.example/today?id=7&amp;x=y"'
const LOCATION = 'Location: https://news.example/today?id=7&x=y'

const { portal, engine } = await startRelay({ after }, () => {}, { env: { ENGINE_TIMEOUT_SECONDS: '1' } })

interface Row {
  readonly engine: string | Buffer
  readonly status: number
  /** A part of the page that names the outcome. */
  readonly page: RegExp
  /** The same for the problem; the page's if omitted. */
  readonly detail?: RegExp
  readonly problem: Readonly<Record<string, unknown>>
  readonly retryAfter?: string
  readonly state: 'accepted' | 'refused' | 'pending'
  readonly attempt: number | null | 'open'
  readonly log: string
}

const UNREACHABLE = {
  status: 502,
  page: /isn’t responding properly/,
  detail: /^Your choice couldn’t be passed on\./,
  problem: { type: 'about:blank' },
}
const rejected = (status: string, ...headers: string[]): Row => ({
  ...UNREACHABLE,
  engine: rawResponse(status, headers),
  state: 'refused',
  attempt: Number.parseInt(status, 10),
  log: 'rejected',
})
const broken = (bytes: string | Buffer, attempt: number | null): Row => ({
  ...UNREACHABLE,
  engine: bytes,
  state: 'pending',
  attempt,
  log: 'broken',
})
const codeRejected = (members: object, problem: Row['problem'], detail: RegExp): Row => ({
  engine: problemResponse('403 Forbidden', members),
  status: 403,
  page: /That code is incorrect/,
  detail,
  problem,
  state: 'refused',
  attempt: 403,
  log: 'codeRejected',
})
const refused = (bytes: Buffer): Row => ({
  engine: bytes,
  status: 403,
  page: /Your choice wasn’t accepted/,
  detail: /^The page may no longer be valid\./,
  problem: { type: 'about:blank' },
  state: 'refused',
  attempt: 403,
  log: 'refused',
})
const lockedOut = (bytes: Buffer, page: RegExp, retryAfter: string, type = '/problems/locked-out'): Row => ({
  engine: bytes,
  status: 429,
  page,
  problem: {
    type,
    // What Unlock's script shows; it puts its own times into two of them.
    lockout: [
      Number(retryAfter),
      en.outcome.lockedOut.title,
      'Too many wrong codes were entered. You can try again at #.',
      SIGNS.clock.path,
      '# min',
      en.override.lockOver,
      en.nothingToGoBackTo,
    ],
  },
  retryAfter,
  state: 'refused',
  attempt: 429,
  log: 'lockedOut',
})
const expired = (bytes: Buffer, type = '/problems/acknowledgement-expired'): Row => ({
  engine: bytes,
  status: 410,
  page: /no longer accepts your choice/,
  problem: { type },
  state: 'refused',
  attempt: 410,
  log: 'expired',
})

const REJECTED_TYPE = 'https://engine.example/problems/override-code-rejected'
const rows: Readonly<Record<string, Row>> = {
  '403 for the code': codeRejected({ type: REJECTED_TYPE }, { type: REJECTED_TYPE }, /^That code is incorrect\.$/),
  '403 for the code, with attempts left': codeRejected(
    { type: REJECTED_TYPE, attempts_remaining: 3, detail: '<b>no</b>' },
    { type: REJECTED_TYPE, attempts_remaining: 3 },
    /^That code is incorrect\. 3 attempts left\.$/,
  ),
  '403 of another type': refused(problemResponse('403 Forbidden', { type: '/problems/session-limit' })),
  '403 without a body': refused(rawResponse('403 Forbidden')),
  '429 with the seconds': lockedOut(rawResponse('429 Too Many Requests', ['Retry-After: 900']), /in 15 minutes/, '900'),
  "429 with the engine's own type": lockedOut(
    problemResponse('429 Slow Down', { type: 'https://engine.example/problems/locked-out' }, ['Retry-After: 120']),
    /in 2 minutes/,
    '120',
    'https://engine.example/problems/locked-out',
  ),
  '410 expired': expired(rawResponse('410 Gone')),
  "410 with the engine's own type": expired(
    problemResponse('410 Gone', { type: 'https://engine.example/gone' }),
    'https://engine.example/gone',
  ),
  '429 without the seconds': rejected('429 Too Many Requests'),
  '401': rejected('401 Unauthorized', 'WWW-Authenticate: Bearer'),
  '404': rejected('404 Not Found', LOCATION),
  '200': broken(rawResponse('200 OK', [LOCATION]), 200),
  '500': broken(rawResponse('500 Internal Server Error', [LOCATION]), 500),
  '503': broken(rawResponse('503 Service Unavailable', ['Retry-After: 7']), 503),
  '302 without Location': broken(rawResponse('302 Found'), null),
  '302 to a script': broken(rawResponse('302 Found', ['Location: javascript:alert(1)']), null),
  '302 with CR in it': broken(rawResponse('302 Found', ['Location: https://news.example/\rSet-Cookie: a=b']), null),
  'a body cut short': broken(`HTTP/1.1 302 Found\r\n${LOCATION}\r\nContent-Length: 9\r\n\r\nabc`, null),
  'nothing in time': {
    engine: LATE,
    status: 504,
    page: /no reply came in time/,
    problem: { type: 'about:blank' },
    state: 'pending',
    attempt: 'open',
    log: 'late',
  },
}

for (const [name, row] of Object.entries(rows)) {
  for (const way of ['navigation', 'fetch'] as const) {
    test(`${name}, to a ${way}`, async () => {
      const asked = engine.connections.length
      engine.behave(row.engine === LATE ? () => {} : respondWith(row.engine))
      const { target, p, reference } = acknowledgement(way === 'fetch' ? PASSPHRASE : {})
      const headers = way === 'fetch' ? { 'X-Override-Code': encodeURIComponent(CODE) } : {}
      // On a busy machine this timer is late, too.
      const deadline = row.status === 504 ? sleep(1_000).then(() => performance.now()) : undefined
      const answered = await exchange(portal, target, headers)
      if (deadline !== undefined) assert.ok(performance.now() - (await deadline) < 200)

      assert.equal(answered.status, row.status)
      assert.equal(answered.headers.get('retry-after'), row.retryAfter)
      assertOwnResponse(answered, way === 'fetch' ? 'problem' : 'page')
      assert.doesNotMatch(answered.body, /<b>|SSH|Sesam/)
      assert.equal(answered.body.includes(p), false)
      if (way === 'navigation') {
        assert.match(answered.body, row.page)
        assert.ok(answered.body.includes(WAY_BACK))
        // During a lockout the way back leads nowhere yet.
        assert.equal(answered.body.includes('class="button" id="reopen"'), row.log === 'lockedOut')
        assert.ok(answered.body.includes(reference))
      } else {
        const { title, detail, ...problem } = JSON.parse(answered.body)
        assert.equal(typeof title, 'string')
        assert.match(detail, row.detail ?? row.page)
        assert.deepEqual(problem, { ...row.problem, status: row.status })
      }

      assert.equal(engine.connections.length, asked + 1)
      assert.equal(acceptanceOf(portal, reference)?.state, row.state)
      assert.deepEqual(attemptsOf(portal, reference), [row.attempt])
      const line = await requestLine(portal, reference)
      assert.deepEqual([line.route, line.status, line.outcome], ['/api/captive/ack', row.status, row.log])
    })
  }
}

describe('302', () => {
  for (const way of ['navigation', 'fetch'] as const) {
    test(`to a ${way}`, async () => {
      engine.behave(respondWith(rawResponse('302 Found', [LOCATION])))
      const { target, reference } = acknowledgement(way === 'fetch' ? PASSPHRASE : {})
      const { status, headers } = await exchange(portal, target, way === 'fetch' ? { 'X-Override-Code': '0000' } : {})
      assert.deepEqual([status, headers.get('location')], [302, 'https://news.example/today?id=7&x=y'])
      assert.equal(acceptanceOf(portal, reference)?.state, 'accepted')
      assert.deepEqual(attemptsOf(portal, reference), [302])
      const line = await requestLine(portal, reference)
      assert.deepEqual([line.status, line.outcome, line.engineStatus], [302, 'redirect', 302])
    })
  }
  test('for a warning leaves no record', async () => {
    engine.behave(respondWith(rawResponse('302 Found', [LOCATION])))
    const { target, reference } = acknowledgement({ kind: 'warn' })
    assert.equal((await exchange(portal, target)).status, 302)
    assert.equal(acceptanceOf(portal, reference), undefined)
  })
})

test('the log contains no payload and no code', () => {
  const text = portal.logText()
  assert.ok(text.length > 1_000)
  assert.doesNotMatch(text, /eyJhbGci|Sesam|%F0%9F|0000"/)
})
