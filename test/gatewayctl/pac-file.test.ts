// Runs the PAC file as a browser does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { pacFile, parsePacHost } from '../../src/gatewayctl/portal/pac-file.ts'
import { parseHostAndPort } from '../../src/network/host-and-port.ts'

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

test('the portal’s own name is reached directly, in every spelling', () => {
  const own = ['portal.example', 'PORTAL.Example', 'portal.example.', 'PORTAL.EXAMPLE.']
  assert.deepEqual(
    results(pacFile(PROXY, ['portal.example']), own),
    own.map(() => 'DIRECT'),
  )
})

test('a similar name is not, and neither is a property name of JavaScript', () => {
  const others = [
    'example',
    'www.portal.example',
    'portal.example.evil.example',
    'evilportal.example',
    'portal-example',
    'portalxexample',
    'portal.example..',
    '.portal.example',
    'constructor',
    '__proto__',
    '',
  ]
  assert.deepEqual(
    results(pacFile(PROXY, ['portal.example']), others),
    others.map(() => 'PROXY proxy.example:3128'),
  )
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
  assert.deepEqual(parseHostAndPort('192.0.2.1:65535'), { host: '192.0.2.1', port: 65_535 })
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
