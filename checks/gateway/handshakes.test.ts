// Apps that accept only their own certificate: what Squid's lines lead to in `gatewayctl proxy handshakes`.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const APPS = ['127.0.0.11', '127.0.0.12', '127.0.0.13'] as const
const names = ['news', 'pinned', 'closed', 'works', 'few', 'last', 'exempt'].map((name) => `${name}.example`)

describe('handshakes', { skip: skipWithoutGateway, timeout: 120_000, concurrency: 1 }, async () => {
  const gateway = await startGateway(
    { after },
    { sites: { names }, published: { 'exempt-hosts': 'exempt.example\n' }, user: 0 },
  )
  const env = { GATEWAY_HOME: gateway.run, PROXY_RUN: gateway.run, PROXY_PUBLISHED: `${gateway.run}/../for-the-proxy` }
  /** Of each host: broke_off, trusting, used and proposed. */
  const counted = async () => {
    const { stdout, stderr, status } = await gatewayctl(['proxy', 'handshakes', '--json'], { env })
    assert.equal(status, 0, stderr)
    assert.doesNotMatch(stdout, /127\.0\.0\.1[1-9]/)
    const { hosts } = JSON.parse(stdout) as { hosts: readonly Record<string, unknown>[] }
    return Object.fromEntries(hosts.map((one) => [one.host, [one.broke_off, one.trusting, one.used, one.proposed]]))
  }
  /** Does not know the CA, and closes the connection: without an alert, as Node does. */
  async function close(host: string, from: string) {
    const { socket } = await gateway.connect(`${host}:443`, { from })
    const tls = connectTls({ socket, servername: host, minVersion: 'TLSv1.3' })
    const [error] = await once(tls, 'error', { signal: AbortSignal.timeout(10_000) })
    assert.match(`${(error as Error).message}`, /unable to get local issuer certificate/)
  }
  /** The same, with an alert. */
  async function alert(host: string, from: string, version: string) {
    const words = ['s_client', '-proxy', `127.0.0.1:${gateway.port}`, '-connect', `${host}:443`, '-servername', host]
    const options = ['-bind', `${from}:0`, '-verify_return_error', version]
    const child = spawn('openssl', [...words, ...options], { stdio: 'ignore', timeout: 10_000 })
    const [status] = await once(child, 'close')
    assert.equal(status, 1)
  }

  test('a host that three apps refuse is proposed, and not one that a client uses, is exempt or denied', async () => {
    for (const from of [...APPS, '127.0.0.14']) {
      assert.equal((await gateway.request('https://news.example/', { from })).status, 200)
    }
    for (const [index, from] of APPS.entries()) {
      await alert('pinned.example', from, index === 0 ? '-tls1_2' : '-tls1_3')
      await close('closed.example', from)
      await close('works.example', from)
    }
    await gateway.request('https://works.example/', { from: '127.0.0.14' })
    for (const from of APPS.slice(0, 2)) await close('few.example', from)
    await close('exempt.example', APPS[0]).catch(() => {})
    await gateway.request('https://127.0.0.1/', { from: '127.0.0.15' }).catch(() => {})
    await close('last.example', '127.0.0.16')
    await until(async () => 'last.example' in (await counted()), 20)
    assert.deepEqual(await counted(), {
      'closed.example': [3, 3, false, true],
      'few.example': [2, 2, false, false],
      'last.example': [1, 0, false, false],
      'pinned.example': [3, 3, false, true],
      'works.example': [3, 3, true, false],
    })
  })

  test('while nobody reads its lines, Squid continues', async () => {
    gateway.start.kill('SIGSTOP')
    try {
      for (let at = 0; at < 300; at++) {
        assert.equal((await gateway.request('https://news.example/')).status, 200)
      }
    } finally {
      gateway.start.kill('SIGCONT')
    }
  })
})
