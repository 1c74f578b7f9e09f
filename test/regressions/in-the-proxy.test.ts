// Stories of the proxy, most of them of what Squid reads in its own way; each suite is one.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { publishedSettings } from '../../src/engine/proxy-settings/published.ts'
import { addressWords, isInRange, parseAddressRange, rangeText } from '../../src/network/address-range.ts'
import { readMachine } from '../../src/proxy/machine.ts'
import { openingDirective } from '../../src/proxy/settings/opening-directives.ts'
import { squidNetworks } from '../../src/proxy/squid/squid-networks.ts'
import { readPublished } from '../../src/published/read.ts'
import { publishedFiles } from '../../src/published/write.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { skipWithoutGateway, skipWithoutSquid } from '../proxy/proxy.ts'
import { makeServed } from '../support/certificates.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { accepts } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

/** What Squid says when it reads this configuration. */
function parsed(t: Cleanup, configuration: string): string {
  const path = join(temporaryFolder(t), 'squid.conf')
  writeFileSync(path, `http_port 3128\npid_filename none\n${configuration}\n`)
  const words = ['-k', 'parse', '-n', `parsed${process.pid}`, '-f', path]
  return spawnSync('squid', words, { encoding: 'utf8', timeout: 20_000 }).stderr
}

// Squid reads a line of more than 8191 bytes as several. What followed in a long comment of PROXY_INCLUDE or PROXY_AUTH was a directive
// to Squid, such as `icap_enable off`, but still the comment to the check for directives that open what squid.conf closes.
describe('a long comment hid a directive', () => {
  const commentOf = (bytes: number) => `# ${'a'.repeat(bytes - 2)}`

  test('it is found at the end of a long comment', () => {
    for (const [line, found] of [
      [`${commentOf(8191)}icap_enable off`, 'icap_enable'],
      [`${commentOf(2 * 8191)}icap_enable off`, 'icap_enable'],
      [`${commentOf(8190)} icap_enable off`, 'icap_enable'],
      // Bytes, not characters.
      [`# ${'é'.repeat(4094)}xicap_enable off`, 'icap_enable'],
      [`${commentOf(100)}icap_enable off`, undefined],
    ] as const) {
      assert.equal(openingDirective(`${line}\n`, ''), found)
    }
  })
  test('control: Squid reads it as a directive', { skip: skipWithoutSquid }, (t) => {
    assert.match(parsed(t, `${commentOf(8191)}icap_enable off`), /Processing: icap_enable off/)
  })
})

// With PROXY_CLIENTS=0.0.0.0/0, clients with IPv6 addresses could use the proxy, too; with ::/0 nobody could; with ::/1, and with
// `exempt_clients = ["::/1"]`, it was everyone with an IPv4 address. Squid reads such networks in its own way.
describe('every IPv4 address was every address', () => {
  const CASES = [
    ['0.0.0.0/0', { ipv4: true, ipv6: false }],
    ['::/0', { ipv4: false, ipv6: true }],
    ['::/1', { ipv4: false, ipv6: true }],
    ['::/80', { ipv4: false, ipv6: true }],
    ['::/96', { ipv4: false, ipv6: true }],
    ['0.0.0.0/0 ::/0', { ipv4: true, ipv6: true }],
    ['127.0.0.0/8', { ipv4: true, ipv6: false }],
    ['8000::/1', { ipv4: false, ipv6: false }],
  ] as const
  const networksOf = (text: string) =>
    squidNetworks(text.split(' ').map((word) => parseAddressRange(word) ?? assert.fail(word)))

  test('each address is in one of the networks as written, and no other one', () => {
    const networks = networksOf('::/0').map((text) => parseAddressRange(text) ?? assert.fail(text))
    for (const address of ['::', '::1', '::fffe:ffff:ffff', '::1:0:0:0', '64:ff9b::1', '2001:db8::1', 'ffff::1']) {
      assert.equal(networks.filter((network) => isInRange(network, addressWords(address))).length, 1, address)
    }
  })

  test('Squid admits the clients that they have', { skip: skipWithoutSquid, timeout: 60_000 }, async (t) => {
    const folder = temporaryFolder(t)
    const ports = await Promise.all(CASES.map(() => freePort()))
    const directives = CASES.flatMap(([clients], index) => {
      const path = join(folder, `clients${index}`)
      writeFileSync(path, `${networksOf(clients).join('\n')}\n`)
      return [
        `http_port [::]:${ports[index]} name=port${index}`,
        `acl port${index} myportname port${index}`,
        `acl clients${index} src "${path}"`,
        `http_access deny port${index} clients${index} teapot`,
      ]
    })
    const others = ['http_access deny all', 'pid_filename none', 'pinger_enable off', 'access_log none']
    const text = [
      ...['acl teapot src all', 'deny_info 418:ERR_ACCESS_DENIED teapot', ...directives, ...others],
      ...['cache_log /dev/null', 'shutdown_lifetime 0 seconds', ''],
    ]
    writeFileSync(join(folder, 'squid.conf'), text.join('\n'))
    const words = ['-N', '-n', `clients${process.pid}`, '-f', join(folder, 'squid.conf')]
    const squid = spawn('squid', words, { stdio: 'ignore' })
    t.after(async () => {
      const closed = once(squid, 'close')
      squid.kill()
      await closed
    })
    await until(() => accepts(ports[0] ?? 0))
    for (const [index, [clients, { ipv4, ipv6 }]] of CASES.entries()) {
      for (const [host, isAdmitted] of [
        ['127.0.0.1', ipv4],
        ['::1', ipv6],
      ] as const) {
        const sent = request({ host, port: ports[index], path: 'http://news.example/', agent: false }).end()
        const [response] = await once(sent, 'response')
        response.resume()
        assert.equal(response.statusCode, isAdmitted ? 418 : 403, `${clients}: ${host}`)
      }
    }
  })
})

// The proxy denies what is on its own machine. A network that leads to it (`ip -6 route add local …`, as load balancers have it) was
// open: of IPv6, only the addresses of interfaces were denied, and the list had an IPv4 address before a network around it, which
// Squid then ignores.
test('networks that lead to this machine were open', { skip: skipWithoutGateway }, async (t) => {
  for (const words of [
    ['address', 'add', '203.0.113.10/32', 'dev', 'lo'],
    ['route', 'add', 'local', '203.0.113.8/29', 'dev', 'lo'],
    ['-6', 'route', 'add', 'local', '2001:db8:77::/64', 'dev', 'lo'],
  ]) {
    execFileSync('ip', words, { timeout: 10_000 })
  }
  const port = await listen(
    t,
    createServer((socket) => socket.end('this machine')),
    '::',
  )
  for (const host of ['2001:db8:77::5', '203.0.113.9']) {
    const [data] = await once(connect(port, host), 'data')
    assert.equal(`${data}`, 'this machine', 'control')
  }
  const { addresses } = readMachine(false)
  assert.deepEqual(addresses.map(rangeText).toSorted(), ['2001:db8:77::/64', '203.0.113.10', '203.0.113.8/29'])
  const warnings = (networks: readonly string[]) => {
    const path = join(temporaryFolder(t), 'own-addresses')
    writeFileSync(path, `${networks.join('\n')}\n`)
    return /.*because of this.*/.exec(parsed(t, `acl this_machine dst "${path}"`))?.[0]
  }
  const control = ['203.0.113.10', '203.0.113.8/29']
  assert.match(`${warnings(control)}`, /'203\.0\.113\.8\/29' is ignored/)
  assert.deepEqual(squidNetworks(addresses), ['203.0.113.8/29', '2001:db8:77::/64'])
  assert.equal(warnings(squidNetworks(addresses)), undefined)
})

// The engine accepts hosts whose labels begin or end with a hyphen, or have more than 63 characters, as browsers do, and publishes
// them. The proxy had other rules than the engine: it refused the whole file, and no change of the policy reached it any more.
test('an unusual exempt host stopped the published settings', (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'proxy'))
  const hosts = ['-shop.example', 'shop-.example', '.a-.example', 'a_b.example', 'bücher.example']
  const all = JSON.stringify([...hosts, `${'a'.repeat(64)}.example`])
  const { policy: accepted } = configure(
    policy(`[inspection]
exempt_defaults = false
exempt = ${all}
tenants = [{ hosts = ${all}, header = "X-Tenants", value = "7" }]`),
  )
  const published = publishedSettings(accepted, ['portal.example'], { every: undefined })
  assert.equal(published.exemptHosts.length, hosts.length + 1)
  for (const [name, text] of Object.entries(publishedFiles(published))) writeFileSync(join(folder, 'proxy', name), text)
  assert.deepEqual(readPublished(folder), { published, missing: [] })
})

// The proxy's image, with compose.yaml's PROXY_ICAP=icaps://, ended with "connect2 is not a function": in a bundle, `import()` of
// Node's own modules has no names. The sources were not affected, and neither was `icap://`, the control.
describe('the bundled proxy did not start with icaps://', { skip: skipWithoutSquid || skipWithoutOpenssl }, () => {
  const folder = temporaryFolder({ after })
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  test('it asks for the options of an icaps:// and of an icap:// service', { timeout: 60_000 }, async (t) => {
    file('package.json', '{ "type": "module", "version": "2026.1.1" }')
    execFileSync(process.execPath, ['scripts/bundle.ts', join(folder, 'proxy'), 'proxy'], { timeout: 30_000 })
    const { ca, leaf } = makeServed('localhost')
    const respond = (socket: Socket) => {
      socket.on('error', () => {}).once('data', () => socket.end('ICAP/1.0 200 OK\r\n\r\n'))
    }
    for (const [scheme, server] of [
      ['icaps', createTlsServer({ cert: leaf.certificate, key: leaf.key }, respond)],
      ['icap', createServer(respond)],
    ] as const) {
      const env = {
        PATH: process.env.PATH,
        PROXY_CLIENTS: '127.0.0.0/8',
        PROXY_PORTAL: 'https://portal.example',
        PROXY_ICAP: `${scheme}://localhost:${await listen(t, server, 'localhost')}/reqmod`,
        PROXY_ICAP_TOKEN_FILE: file('token', 'a-token-of-the-engine'),
        PROXY_ORIGIN_CA: file('ca.pem', ca.certificate),
        PROXY_PUBLISHED: join(folder, 'published'),
        PROXY_RUN: join(folder, 'run'),
      }
      const program = [join(folder, 'proxy', 'main.js'), '--check']
      const { stdout } = await promisify(execFile)(process.execPath, program, { env, timeout: 20_000 })
      assert.match(stdout, /\nno problems\n$/)
      assert.doesNotMatch(stdout, /ICAP/)
    }
  })
})
