// Without a decision nothing goes through, and the visitor sees why.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const HEADINGS = {
  en: 'The gateway can’t check this page right now',
  fr: 'La passerelle ne peut pas vérifier cette page pour le moment',
  de: 'Das Gateway kann diese Seite gerade nicht prüfen',
  it: 'Al momento il gateway non può controllare questa pagina',
}

describe('the engine is away', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const gateway = await startGateway(
    { after },
    { sites: { names: ['news.example', 'bank.example'] }, published: { 'exempt-hosts': 'bank.example\n' } },
  )
  const { request, engine, sites } = gateway
  assert.equal((await request('https://news.example/')).status, 200)

  /** A host that no rule names needs no decision for a second. */
  const forgotten = () => sleep(1_000)

  async function assertNothingPasses() {
    await forgotten()
    const reached = sites.received.length
    for (const scheme of ['http', 'https']) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await request(`${scheme}://news.example/`, {
          method,
          ...(method === 'POST' && { body: 'a' }),
        })
        assert.equal(status, 500)
        for (const heading of Object.values(HEADINGS)) assert.ok(body.includes(heading))
      }
    }
    // Not even a tunnel to an exempt host: Squid decrypts it to show the page.
    const exempt = await request('https://bank.example/')
    assert.equal(exempt.status, 500)
    assert.ok(exempt.body.includes(HEADINGS.en))
    assert.equal(sites.received.length, reached)
  }

  test('frozen: the page after some seconds', async () => {
    engine.process.kill('SIGSTOP')
    await forgotten()
    const from = performance.now()
    assert.equal((await request('http://news.example/')).status, 500)
    // Two attempts of three seconds; Squid checks its timeouts once a second, which makes it 8 or 9.
    assert.ok(performance.now() - from < 12_000)
    engine.process.kill('SIGCONT')
    await until(async () => (await request('http://news.example/')).status === 200)
  })

  test('killed: the page at once; restarted: within a second', async () => {
    await engine.kill('SIGKILL')
    await assertNothingPasses()
    await engine.restart()
    await until(async () => (await request('https://news.example/')).status === 200, 2)
  })

  /** Has Squid request the service's options: it refuses everything for 30 seconds when it does not get them. */
  async function assertOptionsAreMissed(network: string) {
    const from = gateway.log().length
    gateway.publish('internal', `${network}\n`)
    const isMissed = () => /essential ICAP service is down/.test(gateway.log().slice(from))
    await until(
      async () => (await request('http://news.example/').catch(() => undefined))?.status === 500 && isMissed(),
      30,
    )
  }
  const isBack = async () => (await request('http://news.example/').catch(() => undefined))?.status === 200

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
