// When Squid requested the ICAP service's options while the engine was away, it refused every request for the next 30 seconds,
// also after the engine was back. An outage at any other time ended within a second, and still does.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../proxy/proxy.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'
import { until } from '../support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('an engine that is away while Squid requests its options', {
  skip: skipWithoutGateway,
  timeout: 120_000,
}, async () => {
  const gateway = await startGateway({ after }, { sites: { names: ['news.example'] } })
  const { engine, publish } = gateway
  /** Squid refuses connections for a moment when it is reconfigured. */
  const status = () =>
    gateway.request('http://news.example/').then(
      ({ status }) => status,
      (error) => error.code,
    )

  test('500s end within 2 seconds of its return', async (t) => {
    assert.equal(await status(), 200)
    await engine.kill('SIGKILL')
    const from = gateway.log().length
    publish('internal', '192.0.2.0/24\n')
    // Squid requests the options when the first request needs them.
    await until(async () => (await status()) === 500 && /ICAP service is down/.test(gateway.log().slice(from)), 20)
    await engine.restart()
    const back = performance.now()
    await until(async () => (await status()) === 200, 40, 50)
    const seconds = (performance.now() - back) / 1000
    t.diagnostic(`${seconds.toFixed(1)} s`)
    assert.ok(seconds < 2, `${seconds} s`)
  })
})
