// With PROXY_CLIENTS=0.0.0.0/0, clients with IPv6 addresses could use the proxy, too; with ::/0 nobody could; with ::/1, and with
// `exempt_clients = ["::/1"]`, it was everyone with an IPv4 address. Squid reads such networks in its own way.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { addressWords, isInRange, parseAddressRange } from '../../src/network/address-range.ts'
import { squidNetworks } from '../../src/proxy/squid/squid-networks.ts'
import { skipWithoutSquid } from '../proxy/proxy.ts'
import { freePort } from '../support/free-port.ts'
import { accepts } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

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

const rangesOf = (text: string) => text.split(' ').map((word) => parseAddressRange(word) ?? assert.fail(word))

test('each address is in one of the networks as written, and no other one', () => {
  const networks = squidNetworks(rangesOf('::/0'))
  for (const address of ['::', '::1', '::fffe:ffff:ffff', '::1:0:0:0', '64:ff9b::1', '2001:db8::1', 'ffff::1']) {
    const found = networks.filter((text) =>
      isInRange(parseAddressRange(text) ?? assert.fail(text), addressWords(address)),
    )
    assert.equal(found.length, 1, address)
  }
})

test('Squid admits the clients that they have', { skip: skipWithoutSquid, timeout: 60_000 }, async (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const ports = await Promise.all(CASES.map(() => freePort()))
  const directives = CASES.flatMap(([clients], index) => {
    const path = join(folder, `clients${index}`)
    writeFileSync(
      path,
      squidNetworks(rangesOf(clients))
        .map((line) => `${line}\n`)
        .join(''),
    )
    return [
      `http_port [::]:${ports[index]} name=port${index}`,
      `acl port${index} myportname port${index}`,
      `acl clients${index} src "${path}"`,
      `http_access deny port${index} clients${index} teapot`,
    ]
  })
  const first = ['acl teapot src all', 'deny_info 418:ERR_ACCESS_DENIED teapot']
  const last = [
    'http_access deny all',
    'pid_filename none',
    'pinger_enable off',
    'access_log none',
    'cache_log /dev/null',
  ]
  const text = [...first, ...directives, ...last, 'shutdown_lifetime 0 seconds', '']
  writeFileSync(join(folder, 'squid.conf'), text.join('\n'))
  const words = ['-N', '-n', `clients${process.pid}`, '-f', join(folder, 'squid.conf')]
  const squid = spawn('squid', words, { stdio: 'ignore' })
  t.after(async () => {
    const closed = once(squid, 'close')
    squid.kill()
    await closed
  })
  await until(() => accepts(ports[0] ?? 0))
  for (const [index, [clients, expected]] of CASES.entries()) {
    const status = async (host: string) => {
      const sent = request({ host, port: ports[index], path: 'http://news.example/', agent: false }).end()
      const [response] = await once(sent, 'response')
      response.resume()
      return response.statusCode
    }
    assert.equal(await status('127.0.0.1'), expected.ipv4 ? 418 : 403, clients)
    assert.equal(await status('::1'), expected.ipv6 ? 418 : 403, clients)
  }
})
