// The proxy denies what is on its own machine. A network that leads to it (`ip -6 route add local …`, as load balancers have it) was
// open: of IPv6, only the addresses of interfaces were denied, and the list had an IPv4 address before a network around it, which
// Squid then ignores.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { rangeText } from '../../src/network/address-range.ts'
import { readMachine } from '../../src/proxy/machine.ts'
import { loadSettings } from '../../src/proxy/settings/settings.ts'
import { squidFiles } from '../../src/proxy/squid-files.ts'
import { skipWithoutGateway } from '../proxy/proxy.ts'
import { listen } from '../support/listen.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const TEMPLATE = readFileSync(new URL('../../deploy/proxy/squid.conf', import.meta.url), 'utf8')

test('networks that lead to this machine', { skip: skipWithoutGateway }, async (t) => {
  for (const words of [
    ['address', 'add', '203.0.113.10/32', 'dev', 'lo'],
    ['route', 'add', 'local', '203.0.113.8/29', 'dev', 'lo'],
    ['-6', 'route', 'add', 'local', '2001:db8:77::/64', 'dev', 'lo'],
  ]) {
    execFileSync('ip', words, { timeout: 10_000 })
  }
  const server = createServer((socket) => socket.end('this machine'))
  const port = await listen(t, server, '::')
  for (const host of ['2001:db8:77::5', '203.0.113.9']) {
    const [data] = await once(connect(port, host), 'data')
    assert.equal(`${data}`, 'this machine', 'control')
  }

  const machine = readMachine(false)
  assert.deepEqual(machine.addresses.map(rangeText).toSorted(), ['2001:db8:77::/64', '203.0.113.10', '203.0.113.8/29'])
  const folder = temporaryFolder(t)
  const token = join(folder, 'token')
  writeFileSync(token, 'a-token-of-the-engine')
  const files = squidFiles({
    template: TEMPLATE,
    settings: loadSettings(
      { PROXY_CLIENTS: '127.0.0.1', PROXY_PORTAL: 'https://portal.example', PROXY_ICAP_TOKEN_FILE: token },
      TEMPLATE,
    ),
    published: {
      ...{ portalNames: [], exemptHosts: [], exemptClients: [], internal: [], safesearch: false, youtube: undefined },
      ...{ tenants: [], ruledHosts: 'every' },
    },
    machine,
    squid: { version: '5.7', certificateGenerator: '' },
    ...{ folder, certificateCache: '4MB', icapAuthorities: '', hostsHelper: [] },
  })
  const warnings = (lines: string) => {
    writeFileSync(join(folder, 'own-addresses'), lines)
    writeFileSync(
      join(folder, 'squid.conf'),
      `acl this_machine dst "${folder}/own-addresses"\nhttp_port 3128\npid_filename none\n`,
    )
    const words = ['-k', 'parse', '-n', `machine${process.pid}`, '-f', join(folder, 'squid.conf')]
    const { stderr } = spawnSync('squid', words, { encoding: 'utf8', timeout: 20_000 })
    return stderr.split('\n').filter((line) => /because of this/.test(line))
  }
  assert.match(warnings('203.0.113.10\n203.0.113.8/29\n').join(), /'203\.0\.113\.8\/29' is ignored/, 'control: before')
  assert.equal(files['own-addresses'], '203.0.113.8/29\n2001:db8:77::/64\n')
  assert.deepEqual(warnings(files['own-addresses']), [])
})
