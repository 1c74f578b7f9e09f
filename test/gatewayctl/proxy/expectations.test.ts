// What `proxy test` takes a response for, and its sheet. checks/gateway/expectations.test.ts has the proxy itself.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createLocalTime } from '../../../src/gatewayctl/local-time.ts'
import { seenThrough } from '../../../src/gatewayctl/proxy/expectations/seen.ts'
import { renderSheet } from '../../../src/gatewayctl/proxy/expectations/sheet.ts'
import { faultOf, type Tried, tryAll } from '../../../src/gatewayctl/proxy/expectations/try.ts'
import { HOSTILE_RULE, HOSTILE_USER } from '../../support/hostile.ts'
import { listen } from '../../support/listen.ts'

const portal = new URL('https://portal.example')
/** An expectation that the rules meet. */
const LISTED: Tried['listed'] = {
  ...{ place: '/etc/gateway/policy.toml:12: expect[1]', url: 'https://a.example/', user: null, client: null, at: null },
  ...{ verdict: 'allow', rule: null, ruled: { verdict: 'allow', rule: { name: 'default', line: null } }, fault: null },
  ...{ differs_by: [], depends_on_user: null, switch: null, opened_by: null, opened_until: null, exempt: false },
}
const INSTANCE = { 'x-engine-instance': 'x' }

test('only what a site or its failure shows is allowed, and only the portal’s own pages are stops', async (t) => {
  const responses: Readonly<Record<string, readonly [status: number, headers: Readonly<Record<string, string>>]>> = {
    '/site': [200, {}],
    '/missing': [404, {}],
    '/login': [302, { location: 'https://other.example/blocked?p=x' }],
    '/blocked': [302, { location: 'https://portal.example/blocked?p=x&v=1&ts=1' }],
    '/posted': [303, { location: 'https://portal.example/warned?p=x' }],
    '/aup': [302, { location: 'https://portal.example/aup?p=x' }],
    '/near': [302, { location: 'https://portal.example.evil.example/blocked' }],
    '/plain': [302, { location: 'http://portal.example/blocked' }],
    '/page': [302, { location: 'https://portal.example/privacy' }],
    '/nowhere': [302, {}],
    '/unknown': [503, { 'x-squid-error': 'ERR_DNS_FAIL 0' }],
    '/late': [503, { 'x-squid-error': '503:ERR_DNS_FAIL 0' }],
    '/outage': [500, { 'x-squid-error': 'ERR_ICAP_FAILURE 0' }],
    '/undecided': [500, { 'x-squid-error': '500:ERR_ICAP_FAILURE 0' }],
    '/denied': [403, { 'x-squid-error': 'ERR_ACCESS_DENIED 0' }],
    '/other': [503, { 'x-squid-error': 'nonsense' }],
    '/user': [407, {}],
    '/refused': [400, INSTANCE],
    '/tunnel': [403, INSTANCE],
    '/forbidden': [403, {}],
  }
  const proxy = createServer((request, response) => {
    const [status, headers] = responses[new URL(String(request.url)).pathname] ?? assert.fail(request.url)
    response.writeHead(status, headers).write('x'.repeat(100))
    // Never ends, like a video.
  })
  const port = await listen(t, proxy)
  const sender = { proxy: { host: '127.0.0.1', port, fields: {} }, roots: [], portal }
  const verdicts: Record<string, string | undefined> = {}
  for (const path of Object.keys(responses)) {
    verdicts[path] = (await seenThrough(sender, new URL(`http://site.example${path}`), false)).verdict
  }
  assert.deepEqual(verdicts, {
    ...{
      '/site': 'allow',
      '/missing': 'allow',
      '/login': 'allow',
      '/near': 'allow',
      '/plain': 'allow',
      '/page': 'allow',
    },
    ...{ '/nowhere': 'allow', '/unknown': 'allow', '/late': 'allow', '/forbidden': 'allow' },
    ...{ '/blocked': 'block', '/posted': 'warn', '/aup': 'aup' },
    ...{ '/outage': undefined, '/undecided': undefined, '/denied': undefined, '/other': undefined },
    ...{ '/user': undefined, '/refused': undefined, '/tunnel': undefined },
  })
})

test('a tunnel that is refused is a stop only where the engine refuses it, for an exempt host', async (t) => {
  let refusal = ''
  const proxy = createServer()
  proxy.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${refusal}\r\nContent-Length: 0\r\n\r\n`))
  const port = await listen(t, proxy)
  const sender = { proxy: { host: '127.0.0.1', port, fields: {} }, roots: [], portal }
  const seen = async (head: string, isExempt: boolean) => {
    refusal = head
    return (await seenThrough(sender, new URL('https://bank.example/'), isExempt)).verdict
  }
  const byEngine = '403 Forbidden\r\nX-Engine-Instance: x'
  assert.equal(await seen(byEngine, true), 'stop')
  assert.equal(await seen(byEngine, false), undefined)
  assert.equal(await seen('403 Forbidden\r\nX-Squid-Error: ERR_ACCESS_DENIED 0', true), undefined)
  assert.equal(await seen('403 Forbidden', true), undefined)
  assert.equal(await seen('503 Unavailable\r\nX-Squid-Error: 503:ERR_DNS_FAIL 0', true), 'allow')
  assert.equal(await seen('503 Unavailable\r\nX-Squid-Error: 503:ERR_DNS_FAIL 0', false), undefined)
  assert.equal(await seen('500 Error\r\nX-Squid-Error: ERR_ICAP_FAILURE 0', true), undefined)
})

test('a line that is open now is not sent, and says until when in the sheet’s time zone', async () => {
  const ruled = { verdict: 'block', rule: { name: 'games', line: 3 } } as const
  const opened = { opened_by: 'a permission of Ms Rossi', opened_until: '2026-11-27T23:30:20Z' }
  const time = createLocalTime({ env: { GATEWAY_TIMEZONE: 'Europe/Zurich' } })
  const lines = [opened, { opened_by: 'a session of the rule "games"', opened_until: null }].map((by) => {
    return { ...LISTED, verdict: 'block' as const, rule: 'games', ruled, ...by }
  })
  // It uses no gateway.
  const tried = await tryAll(undefined as never, lines, undefined, time)
  assert.deepEqual(
    tried.map(({ seen }) => seen),
    ['a permission of Ms Rossi until 2026-11-28 00:30', 'a session of the rule "games"'].map(
      (by) => `not sent: it is open now by ${by}; the rules alone: blocked by the rule games (line 3)`,
    ),
  )
})

test('a test that sent nothing proves nothing, and says so first', () => {
  const notSent: Tried = { listed: LISTED, seen: 'not sent: …', result: 'not sent' }
  const others = (['as expected', 'differs'] as const).map((result): Tried => ({ ...notSent, result }))
  const nothing = 'nothing was sent through the proxy: this proves nothing about it'
  assert.equal(faultOf([notSent, notSent]), nothing)
  assert.deepEqual(
    others.map((other) => faultOf([notSent, other])),
    [undefined, '1 of 2 lines differ from what the policy expects'],
  )
  const names = { organisation: undefined, proxy: '', engine: '', client: '', user: undefined }
  const facts = { ...names, time: '', revision: 'r', version: '1' }
  assert.match(
    renderSheet(facts, [notSent], 'UTC'),
    /<h1>Filter test<\/h1>\n<p><strong>Nothing was sent .*\.<\/strong>/,
  )
  assert.doesNotMatch(renderSheet(facts, [notSent, ...others], 'UTC'), /Nothing was sent/)
})

test('the sheet says of each line what was expected and seen, whatever its texts contain', () => {
  const listed: Tried['listed'] = {
    ...LISTED,
    ...{ url: 'https://a.example/</td><script>', user: HOSTILE_USER, client: '10.1.2.3', at: '2026-11-27T09:00:00Z' },
    ...{ verdict: 'block', rule: HOSTILE_RULE, ruled: { verdict: 'block', rule: { name: HOSTILE_RULE, line: 3 } } },
  }
  const facts = {
    ...{ organisation: '<School>', time: '2026-11-27 10:05, Europe/Zurich', proxy: '192.0.2.1:3128' },
    ...{ engine: 'https://localhost:11225', revision: 'r', client: '10.1.2.3', user: undefined, version: '1' },
  }
  const tried: readonly Tried[] = [
    { listed, seen: 'blocked', result: 'as expected' },
    { listed, seen: '<img src=x onerror=alert(1)>', result: 'differs' },
    { listed, seen: 'not sent: …', result: 'not sent' },
  ]
  const html = renderSheet(facts, tried, 'Europe/Zurich')
  assert.match(html, /<dd>1 as expected, 1 different, 1 not sent<\/dd>/)
  assert.match(html, /<td>policy\.toml:12: expect\[1\]<\/td>/)
  assert.match(html, /, from 10\.1\.2\.3, at 2026-11-27T10:00:00<\/td><td>blocked<\/td><td>as expected<\/td>/)
  const tags = new Set(Array.from(html.matchAll(/<\/?([a-z0-9]+)/gi), ([, tag]) => tag))
  assert.deepEqual(
    [...tags].filter((tag) => ['script', 'img', 'School'].includes(String(tag))),
    [],
  )
  assert.doesNotMatch(html.replaceAll('\n', ''), /\p{C}/u)
})
