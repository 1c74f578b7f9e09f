// Without a decision nothing goes through, and the visitor sees why.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const HEADING = /The gateway can’t check this page right now/

describe('the engine is away', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const gateway = await startGateway(
    { after },
    { sites: { names: ['news.example', 'bank.example'] }, published: { 'exempt-hosts': 'bank.example\n' } },
  )
  const { request, engine, sites } = gateway
  assert.equal((await request('https://news.example/')).status, 200)

  // Squid refuses connections for a moment when it is reconfigured.
  const status = async () => (await request('http://news.example/').catch(() => undefined))?.status
  const isBack = async () => (await status()) === 200
  /** A host that no rule names needs no decision for a second. */
  const forgotten = () => sleep(1_000)

  async function assertNothingPasses() {
    await forgotten()
    const reached = sites.received.length
    for (const scheme of ['http', 'https']) {
      for (const sent of [{}, { method: 'POST', body: 'a' }]) {
        const stopped = await request(`${scheme}://news.example/`, sent)
        assert.equal(stopped.status, 500)
        assert.match(stopped.body, HEADING)
      }
    }
    // Not even a tunnel to an exempt host: Squid decrypts it to show the page.
    const exempt = await request('https://bank.example/')
    assert.equal(exempt.status, 500)
    assert.match(exempt.body, HEADING)
    assert.equal(sites.received.length, reached)
  }

  test('frozen: the page after some seconds', async () => {
    engine.process.kill('SIGSTOP')
    await forgotten()
    const from = performance.now()
    assert.equal(await status(), 500)
    // Two attempts of three seconds; Squid checks its timeouts once a second, which makes it 8 or 9.
    assert.ok(performance.now() - from < 12_000)
    engine.process.kill('SIGCONT')
    await until(isBack)
  })

  test('killed: the page at once; restarted: within a second', async () => {
    await engine.kill('SIGKILL')
    await assertNothingPasses()
    await engine.restart()
    await until(isBack, 2)
  })

  /** Has Squid request the service's options, which it does when the first request needs them. */
  async function assertOptionsAreMissed(network: string) {
    const from = gateway.log().length
    gateway.publish('internal', `${network}\n`)
    const isMissed = () => /essential ICAP service is down/.test(gateway.log().slice(from))
    await until(async () => (await status()) === 500 && isMissed(), 30)
  }

  // Seen: Squid then refused every request for the next 30 seconds, also when the engine was back long ago.
  test('killed while Squid requests its options: within 2 seconds of its return', async () => {
    await engine.kill('SIGKILL')
    await assertOptionsAreMissed('192.0.2.0/24')
    await assertNothingPasses()
    await engine.restart()
    await until(isBack, 2)
  })

  test('frozen while Squid requests its options: the same, at most every 5 seconds', async () => {
    engine.process.kill('SIGSTOP')
    await assertOptionsAreMissed('198.51.100.0/24')
    engine.process.kill('SIGCONT')
    await until(isBack, 2)
  })
})
