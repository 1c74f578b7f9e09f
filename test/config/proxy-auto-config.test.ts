import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { type ProxyDirective, parseProxy, proxyAutoConfig } from '../../src/config/proxy-auto-config.ts'

const PROXY = 'PROXY proxy.example:3128' as ProxyDirective

/** What the file answers for a URL, in a JavaScript that has nothing but itself. */
function run(file: string): (url: string, host?: string) => unknown {
  const context = createContext(Object.create(null))
  runInContext(file, context)
  return (url, host = new URL(url).hostname) => {
    context.question = [url, host]
    return runInContext('FindProxyForURL(question[0], question[1])', context)
  }
}

const portal = (host: string, hostname = host) =>
  run(proxyAutoConfig({ baseUrl: `https://${host}`, hostname: hostname.replace(/:\d+$|[[\]]/g, '') }, PROXY))

test('the portal directly, over both schemes and on every port; everything else through the proxy', () => {
  const find = portal('portal.example:8443')
  for (const url of [
    'https://portal.example/blocked?p=x',
    'http://portal.example/ca',
    'https://portal.example:8443/',
    'https://PORTAL.Example./',
  ]) {
    assert.equal(find(url), 'DIRECT', url)
  }
  assert.equal(find('https://portal.example/', 'Portal.EXAMPLE'), 'DIRECT', 'a host that nobody put into small letters')
  for (const url of [
    'https://evil.example/portal.example',
    'https://portal.example.evil.example/',
    'https://notportal.example/',
    'https://sub.portal.example/',
    'https://portal/',
    'https://portal.example@evil.example/',
    'http://localhost/',
    'http://constructor/',
    'http://__proto__/',
  ]) {
    assert.equal(find(url), PROXY, url)
  }
})

test('the host of the base URL and GATEWAY_CAPTIVE_HOSTNAME are both the portal', () => {
  const find = portal('portal.example', 'captive.example')
  assert.equal(find('https://portal.example/'), 'DIRECT')
  assert.equal(find('https://captive.example/'), 'DIRECT')
})

test('a portal that is an address, as browsers spell it', () => {
  assert.equal(portal('192.0.2.7')('https://192.0.2.7/'), 'DIRECT')
  assert.equal(portal('192.0.2.7')('https://192.0.2.70/'), PROXY)
  const find = portal('[2001:db8::1]', '2001:DB8:0::1')
  assert.equal(find('https://[2001:db8::1]/'), 'DIRECT')
  assert.equal(find('https://[2001:db8::1]/', '2001:db8::1'), 'DIRECT', 'without brackets')
  assert.equal(find('https://[2001:db8::2]/'), PROXY)
})

test('no name gets out of its quotes', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '"+"', '\u2028', '*/', '</script>', '\\u0022', '"); throw 1; ("', '\ud800'),
  )
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 4 }), (parts) => {
      const hostname = parts.join('')
      const file = proxyAutoConfig({ baseUrl: 'https://portal.example', hostname }, PROXY)
      assert.match(file, /^[\n -~]*$/)
      const find = run(file)
      assert.equal(find('https://portal.example/'), 'DIRECT')
      assert.equal(find('https://news.example/'), PROXY)
      assert.equal(find('https://x.example/', `x${hostname}`), PROXY)
    }),
    { numRuns: 40 },
  )
})

test('the oldest engines read it', () => {
  const file = proxyAutoConfig({ baseUrl: 'https://portal.example', hostname: 'captive.example' }, PROXY)
  assert.doesNotMatch(file, /\b(const|let|includes|class)\b|=>|`/)
  assert.match(file, /^function FindProxyForURL\(url, host\) \{\n/)
})

test('a proxy is a host and a port, and whether it is spoken to over TLS', () => {
  const good: [string, string][] = [
    ['proxy.example:3128', 'PROXY proxy.example:3128'],
    ['http://Proxy.example:8080/', 'PROXY proxy.example:8080'],
    ['HTTPS://proxy.example:443', 'HTTPS proxy.example:443'],
    ['192.0.2.1:1', 'PROXY 192.0.2.1:1'],
    ['[2001:db8::1]:3128', 'PROXY [2001:db8::1]:3128'],
  ]
  for (const [text, directive] of good) assert.equal(parseProxy(text), directive)
  const bad = [
    '',
    'proxy.example',
    'proxy.example:',
    'proxy.example:0',
    'proxy.example:65536',
    'proxy.example:031',
    ':3128',
    '2001:db8::1:3128',
    '[proxy.example]:3128',
    '[2001:db8::1]',
    'socks5://proxy.example:1080',
    'http://user:password@proxy.example:3128',
    'http://proxy.example:3128/path',
    'proxy.example:3128; DIRECT',
    'proxy.example:3128;DIRECT',
    'proxy.example; DIRECT:3128',
    'proxy.example:3128\nPROXY evil.example:1',
    'pröxy.example:3128',
    ' proxy.example:3128',
  ]
  for (const text of bad) assert.equal(parseProxy(text), undefined, text)
})
