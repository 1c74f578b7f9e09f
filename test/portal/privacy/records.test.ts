// What the notice says of engine and proxy, by what they report, in each language; what is not known "may" be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineRecords } from '../../../src/contract/engine-health.ts'
import { formatDays } from '../../../src/portal/page/i18n/format.ts'
import { lastEngineRecords } from '../../../src/portal/privacy/engine-records.ts'
import { catalogue, DEFAULT_LOCALES } from '../../support/catalogue.ts'
import { startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { elements, parsePage, textOf } from '../markup.ts'

const LOG = { allowed: false, hosts: false }

test('the journal: with names for a time, for all of it, never, without sites, and off', async (t) => {
  let engine: EngineRecords = { log: LOG, journal: undefined }
  const portal = await startPortal(t, { engineRecords: () => engine })
  for (const locale of DEFAULT_LOCALES) {
    const { journal } = catalogue[locale].privacy.recorded
    const days = (count: number) => formatDays(count, locale)
    const cases = [
      [{ days: 14, personDays: 3, hosts: true }, [journal.withSite(days(14)), journal.named(days(3))]],
      [{ days: 1, personDays: 1, hosts: false }, [journal.withoutSite(days(1))]],
      [{ days: 30, personDays: 0, hosts: true }, [journal.withSite(days(30)), journal.pseudonyms]],
      [{ days: 0, personDays: 0, hosts: true }, []],
      [undefined, [journal.unknown]],
    ] as const
    const all = new Set(cases.flatMap(([, texts]) => texts))
    for (const [kept, texts] of cases) {
      engine = { log: LOG, journal: kept }
      const page = parsePage((await exchange(portal, '/privacy', { 'accept-language': locale })).body)
      const said = elements(page, 'main').map(textOf).join(' ')
      for (const text of all)
        assert.equal(said.includes(text), (texts as readonly string[]).includes(text), `${locale}: ${text}`)
    }
  }
})

test('the proxy: its log is known where the portal has its variables', async (t) => {
  const CLIENTS = { PROXY_CLIENTS: 'not checked here' }
  for (const [env, log] of [
    [{}, 'unknown'],
    [CLIENTS, 'off'],
    [{ ...CLIENTS, PROXY_ACCESS_LOG: 'off', PROXY_INCLUDE: '/etc/more.conf' }, 'unknown'],
    [{ ...CLIENTS, PROXY_ACCESS_LOG: '/var/log/gateway-proxy/access.log' }, 'on'],
    [{ PROXY_ACCESS_LOG: 'syslog:daemon.info' }, 'on'],
  ] as const) {
    const portal = await startPortal(t, { env })
    const { body } = await exchange(portal, '/privacy')
    for (const [key, text] of Object.entries(catalogue.en.privacy.recorded.elsewhere)) {
      assert.equal(body.includes(text), key === log, `${JSON.stringify(env)}: ${text}`)
    }
  }
})

test('what is in the engine’s memory, where it is known that it is this engine', async (t) => {
  let engine: EngineRecords = { log: LOG, journal: undefined }
  const portal = await startPortal(t, { engineRecords: () => engine })
  for (const locale of DEFAULT_LOCALES) {
    const says = async () => {
      const { body } = await exchange(portal, '/privacy', { 'accept-language': locale })
      return textOf(parsePage(body)).includes(catalogue[locale].privacy.recorded.memory)
    }
    engine = { log: LOG, journal: undefined }
    assert.ok(await says(), locale)
    engine = { log: undefined, journal: undefined }
    assert.ok(!(await says()), locale)
  }
})

test('what the engine last said holds while it is away', async () => {
  const journal = { days: 14, personDays: 3, hosts: true }
  let health: Awaited<ReturnType<Parameters<typeof lastEngineRecords>[0]>> = { keyId: undefined, log: LOG, journal }
  const records = lastEngineRecords(async () => health)
  assert.deepEqual(records(), { log: undefined, journal: undefined })
  await Promise.resolve()
  assert.deepEqual(records(), { log: LOG, journal })
  health = { reason: 'ECONNREFUSED' }
  await Promise.resolve()
  assert.deepEqual(
    [records(), records()].map((one) => one.journal),
    [journal, journal],
  )
})
