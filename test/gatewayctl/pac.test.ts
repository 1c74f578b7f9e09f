// `portal pac`: its file, run as a browser does, for the configured host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { parseHostAndPort } from '../../src/network/host-and-port.ts'
import { pacFile, parsePacHost } from '../../src/network/pac-file.ts'
import { gatewayctl } from './gatewayctl.ts'

const PAC = ['portal', 'pac', '--proxy', 'proxy.example:3128']
const PROXY = { host: 'proxy.example', port: 3128 }

/** The file's result for each host, in a context with only the language's globals. */
function results(pac: string, hosts: readonly string[]): readonly string[] {
  const context = createContext(Object.create(null))
  runInContext(pac, context)
  return hosts.map((host) => {
    const url = `https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/x?y`
    return runInContext(`FindProxyForURL(${JSON.stringify(url)}, ${JSON.stringify(host)})`, context)
  })
}

test('the portal’s own name is reached directly, in every spelling; a similar name, or one of JavaScript’s, is not', () => {
  const own = ['portal.example', 'PORTAL.Example', 'portal.example.']
  const others = [
    ...['', 'example', 'www.portal.example', 'portal.example.evil.example', 'evilportal.example', 'portal-example'],
    ...['portal.example..', '.portal.example', 'constructor', '__proto__'],
  ]
  const found = results(pacFile(PROXY, ['portal.example']), [...own, ...others])
  assert.deepEqual(found, [...own.map(() => 'DIRECT'), ...others.map(() => 'PROXY proxy.example:3128')])
})

test('addresses, with and without brackets; further hosts; a repeated host is written once', () => {
  const portal = parsePacHost('2001:DB8:0:0::1') ?? assert.fail()
  const pac = pacFile({ host: '2001:db8::2', port: 8080 }, [portal, '192.0.2.7', 'wiki.example', 'wiki.example'])
  assert.deepEqual(results(pac, ['2001:db8::1', '[2001:db8::1]', '192.0.2.7', 'wiki.example', '192.0.2.70']), [
    ...['DIRECT', 'DIRECT', 'DIRECT', 'DIRECT'],
    'PROXY [2001:db8::2]:8080',
  ])
  assert.equal(pac.split('wiki.example').length, 2)
})

test('parsing of hosts and proxies', () => {
  assert.deepEqual(parseHostAndPort('Proxy.Example:3128'), PROXY)
  assert.deepEqual(parseHostAndPort('[2001:DB8::0:2]:80'), { host: '2001:db8::2', port: 80 })
  const notProxies = [
    ...['', 'proxy', 'proxy:', ':80', 'proxy:0', 'proxy:080', 'proxy:65536', 'proxy:1e3', 'proxy:80 ', ' proxy:80'],
    ...['http://proxy:80', 'user@proxy:80', 'proxy:80; DIRECT', 'proxy:80"', 'pro xy:80', 'pröxy:80', 'proxy:80\n'],
    ...['2001:db8::2:80', '[proxy]:80', '[192.0.2.1]:80', '[::1%eth0]:80', '300.1.1.1:80', '[]:80', 'a..b:80'],
  ]
  for (const text of notProxies) assert.equal(parseHostAndPort(text), undefined, text)
  assert.equal(parsePacHost('Wiki.Example.'), 'wiki.example')
  assert.equal(parsePacHost('[::0001]'), '::1')
  const notHosts = [
    '',
    '.',
    '*.example',
    'a b',
    '";alert(1);"',
    'wiki.example:80',
    'wiki.example..',
    'wïki',
    '//x',
    '\n',
  ]
  for (const text of notHosts) assert.equal(parsePacHost(text), undefined, text)
})

test('the file is for the configured host and further hosts; a warning is apart from it', async () => {
  const env = { GATEWAY_CAPTIVE_HOSTNAME: 'Portal.Example', GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example' }
  assert.deepEqual(await gatewayctl([...PAC, '--direct', 'a.example', 'B.example.'], { env }), {
    status: 0,
    stdout: pacFile(PROXY, ['portal.example', 'a.example', 'b.example']),
    stderr: '',
  })
  const other = await gatewayctl(PAC, { env: { GATEWAY_CAPTIVE_BASE_URL: 'https://other.example' } })
  assert.deepEqual([other.status, other.stdout], [0, pacFile(PROXY, ['localhost', 'other.example'])])
  assert.match(other.stderr, /names the host other\.example, but .*\n.*each visitor’s own machine/)
})

test('without options the file is for the proxy that the portal names; without one the command says what is missing', async () => {
  const env = {
    GATEWAY_CAPTIVE_HOSTNAME: 'portal.example',
    GATEWAY_CAPTIVE_PROXY: 'proxy.example:3128',
    GATEWAY_CAPTIVE_PROXY_DIRECT: 'wiki.example',
  }
  const { status, stdout } = await gatewayctl(['portal', 'pac'], { env })
  assert.deepEqual([status, stdout], [0, pacFile(PROXY, ['portal.example', 'wiki.example'])])
  const missing = await gatewayctl(['portal', 'pac'])
  assert.deepEqual([missing.status, missing.stdout], [2, ''])
  assert.match(missing.stderr, /^error: neither --proxy nor GATEWAY_CAPTIVE_PROXY names a proxy/)
})

test('hostile values are rejected', async () => {
  const outcomes = await Promise.all([
    gatewayctl(['portal', 'pac', '--proxy', 'proxy:80"; DIRECT']),
    gatewayctl([...PAC, '--direct', '"]; alert(1); ["']),
    gatewayctl(PAC, { env: { GATEWAY_CAPTIVE_HOSTNAME: '"];x' } }),
  ])
  for (const { status, stdout } of outcomes) assert.deepEqual([status, stdout], [2, ''])
})
