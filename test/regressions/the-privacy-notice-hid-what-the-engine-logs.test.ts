// The privacy notice said of the engine that it "keeps its own log, where your request can be found by its reference number". That
// log has the visitor's address and user name for each request that is stopped, with [audit] hosts = true the site as well, and
// with allowed = true every request: what a notice is for. It says now what the engine reports of its own settings.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { healthDocument } from '../../src/contract/engine-health.ts'
import { deriveKeyring } from '../../src/contract/secret.ts'
import { lastEngineLog } from '../../src/portal/acknowledgement/engine-clients.ts'
import { catalogue } from '../../src/portal/page/i18n/catalogue.ts'
import { listen } from '../support/listen.ts'
import { SECRET } from '../support/payloads.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { until } from '../support/until.ts'

const KEY = deriveKeyring([SECRET]).sealing.kid

/** A portal whose engine has this health document. */
async function portalOf(t: TestContext, health: unknown) {
  const port = await listen(
    t,
    createServer((_, response) => response.end(JSON.stringify(health))),
  )
  const portal = startPortalProcess(t, { ENGINE_INTERNAL_URL: `http://127.0.0.1:${port}` })
  const address = await portal.listening
  const notice = async (language: string) =>
    (await fetch(`${address}/privacy`, { headers: { 'accept-language': language } })).text()
  return { notice }
}

const cases = [
  [{ allowed: false, hosts: false }, 'stopped'],
  [{ allowed: false, hosts: true }, 'stoppedWithSite'],
  [{ allowed: true, hosts: false }, 'every'],
  [{ allowed: true, hosts: true }, 'everyWithSite'],
] as const

test('the notice says in each language what the engine logs', async (t) => {
  const { notice } = await portalOf(t, healthDocument(KEY, cases[0][0]))
  for (const [language, { privacy }] of Object.entries(catalogue)) {
    await until(async () => (await notice(language)).includes(privacy.recorded.gateway.stopped), 10)
  }
})

test('each setting has its own sentence; a restart of the engine changes it, and an engine that has stopped keeps it', async () => {
  for (const [log, name] of cases) {
    let health: Awaited<ReturnType<Parameters<typeof lastEngineLog>[0]>> = { keyId: KEY, log }
    const engineLog = lastEngineLog(async () => health)
    assert.equal(engineLog(), undefined)
    await Promise.resolve()
    assert.deepEqual(engineLog(), log, name)
    health = { reason: 'ECONNREFUSED' }
    await Promise.resolve()
    assert.deepEqual([engineLog(), engineLog()], [log, log])
    health = { keyId: KEY, log: { allowed: !log.allowed, hosts: log.hosts } }
    engineLog()
    await Promise.resolve()
    assert.deepEqual(engineLog(), health.log)
  }
  const texts = cases.map(([, name]) => catalogue.en.privacy.recorded.gateway[name])
  for (const text of texts) assert.match(text, /your device’s IP address, your user name/)
  assert.deepEqual(
    texts.map((text) => text.includes('but not the site')),
    [true, false, true, false],
  )
})

test('control: of an engine that reports nothing, it says what may be logged', async (t) => {
  for (const health of [{ status: 'ok', kid: KEY }, { log: { allowed: 'yes', hosts: true } }, null]) {
    const { notice } = await portalOf(t, health)
    await notice('en')
    assert.ok((await notice('en')).includes(catalogue.en.privacy.recorded.gateway.unknown), JSON.stringify(health))
  }
})
