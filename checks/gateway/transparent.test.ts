// Redirected traffic: nftables' rule sends ports 80 and 443 of a client network to the proxy, which has no CONNECT to go by.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { PORTAL_HOST, skipWithoutGateway, startGateway } from '../../test/gateway/proxy.ts'
import { startSites } from '../../test/gateway/sites.ts'
import { freePort } from '../../test/support/free-port.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { until } from '../../test/support/until.ts'

const skip =
  skipWithoutGateway ||
  skipUnless(hasCommand('nft'), 'needs nft: apt-get install nftables') ||
  skipUnless(hasCommand('curl'), 'needs curl: apt-get install curl')

if (!skip) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "gambling"
match = ["casino.example", "blocked-bank.example"]
action = "block"
`

describe('redirected traffic', { skip, timeout: 120_000 }, async () => {
  const ports = { http: await freePort(), https: await freePort() }
  // The client is in a namespace of its own.
  const client = await startSites({ after }, { names: ['unused.example'] })
  const nft = (rules: string) => execFileSync('nft', ['-f', '-'], { input: rules, timeout: 10_000 })
  nft(`table ip ${client.namespace} {
    chain captured {
      type nat hook prerouting priority -100;
      ip saddr ${client.address} tcp dport 80 redirect to :${ports.http}
      ip saddr ${client.address} tcp dport 443 redirect to :${ports.https}
    }
  }`)
  after(() => nft(`delete table ip ${client.namespace}`))
  execFileSync('ip', ['-n', client.namespace, 'route', 'add', 'default', 'via', client.machineAddress], {
    timeout: 10_000,
  })
  const gateway = await startGateway(
    { after },
    {
      sites: { names: ['news.example', 'casino.example', 'bank.example', 'blocked-bank.example'] },
      policy: POLICY,
      directives: 'negative_dns_ttl 1 second\npositive_dns_ttl 1 second',
      published: { 'exempt-hosts': 'bank.example\nblocked-bank.example\n' },
      settings: {
        PROXY_CLIENTS: '127.0.0.0/24 198.18.0.0/15',
        PROXY_PORTAL_PORTS: '80 443',
        PROXY_TRANSPARENT_HTTP: `${ports.http}`,
        PROXY_TRANSPARENT_HTTPS: `${ports.https}`,
      },
    },
  )
  const { sites } = gateway
  // Not by a connection of the test's own: without an original destination, Squid 5.7 stops accepting on that port.
  const listens = (port: number) => execFileSync('ss', ['-Hltn', `sport = :${port}`], { timeout: 10_000 }).length > 0
  for (const port of Object.values(ports)) await until(() => listens(port))
  /** curl connects to the sites' address, whatever the name resolves to. @param parameters curl's @returns status and the certificate's issuer */
  async function get(url: string, ...parameters: readonly string[]) {
    const { host } = new URL(url)
    const resolved = [80, 443].flatMap((port) => ['--resolve', `${host}:${port}:${sites.address}`])
    const words = ['-svk', '-m', '10', '-o', '/dev/null', '-w', '%{http_code}', ...resolved, ...parameters, url]
    const child = spawn('ip', ['netns', 'exec', client.namespace, 'curl', ...words], { timeout: 20_000 })
    const [status, verbose] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { status: Number(status), issuer: /issuer: (.*)/.exec(verbose)?.[1] ?? '' }
  }

  test('plain http: the engine decides', async () => {
    assert.equal((await get('http://news.example/')).status, 200)
    assert.equal((await get('http://casino.example/')).status, 302)
  })

  test('https is decrypted, and the engine decides', async () => {
    const { status, issuer } = await get('https://news.example/')
    assert.equal(status, 200)
    assert.match(issuer, /Proxy CA/)
    assert.equal((await get('https://casino.example/')).status, 302)
  })

  test('an exempt host keeps its certificate, and the engine is asked about it', async () => {
    const { status, issuer } = await get('https://bank.example/')
    assert.equal(status, 200)
    assert.match(issuer, /CA of the sites/)
    assert.notEqual((await get('https://blocked-bank.example/')).status, 200)
  })

  test('the portal’s name at another address is no tunnel', async () => {
    const reached = sites.received.length
    assert.notEqual((await get(`https://${PORTAL_HOST}/`)).status, 200)
    assert.equal(sites.received.length, reached)
  })

  test('plain http with the portal’s name reaches no other address', async () => {
    const reached = sites.received.length
    for (const host of [PORTAL_HOST, `${PORTAL_HOST.toUpperCase()}.`, `${PORTAL_HOST}:80`, `${PORTAL_HOST}:8080`]) {
      assert.equal((await get('http://news.example/', '-H', `Host: ${host}`)).status, 403, host)
    }
    assert.equal((await get('http://news.example/', '--request-target', `http://${PORTAL_HOST}/`)).status, 403)
    assert.equal(sites.received.length, reached)
  })

  test('the name of an exempt host at another address is no tunnel', async () => {
    const before = sites.received.length
    sites.resolve('bank.example', '198.51.100.1')
    await until(async () => (await get('https://bank.example/')).status !== 200, 20)
    const reached = sites.received.length
    const { status, issuer } = await get('https://bank.example/')
    assert.notEqual(status, 200)
    assert.doesNotMatch(issuer, /CA of the sites/)
    assert.equal(sites.received.length, reached)
    assert.ok(reached >= before)
  })
})
