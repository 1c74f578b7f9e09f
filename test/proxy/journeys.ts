// Journeys of visitors through the whole gateway as it is shipped: a browser, Squid, the engine, the portal behind its
// terminator, and https sites. `npm test` makes a few of them, `npm run check -- journeys` all of them in every browser.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { clickProceed, type Engine } from '../support/browser.ts'
import { openssl } from '../support/certificates.ts'
import { type Cleanup, inReverse } from '../support/cleanup.ts'
import { query } from '../support/databases.ts'
import { skipWithoutCertutil } from '../support/requirement.ts'
import { until } from '../support/until.ts'
import { type Devices, type DevicesOptions, startDevices } from './devices.ts'
import { PORTAL_HOST } from './proxy.ts'
import {
  skipWithoutWholeGateway,
  startWholeGateway,
  type WholeGateway,
  type WholeGatewayPlan,
} from './whole-gateway.ts'

const POLICY = `
[inspection]
exempt = ["bank.example"]

[[rules]]
name = "gambling"
description = "Gambling sites are not available here."
match = ["casino.example"]
action = "block"

[[rules]]
name = "news"
match = ["news.example"]
action = "warn"

[[rules]]
name = "one-minute"
match = ["short.example"]
action = "warn"
session_minutes = 1

[[rules]]
name = "social"
match = ["social.example"]
action = "aup"

[[rules]]
name = "vault"
match = ["vault.example"]
action = "warn"
override = { type = "pin", code = "1234", attempts = 2, lockout_seconds = 3 }

[[rules]]
name = "shared"
match = ["shared.example"]
action = "warn"

[[rules]]
name = "other"
match = ["other.example"]
action = "warn"
`
const HOSTS = ['casino', 'news', 'short', 'social', 'vault', 'shared', 'other', 'weather'].map(
  (name) => `${name}.example`,
)
const FORM =
  '<form method="post" action="https://casino.example/bet"><button name="stake" value="5">Bet</button></form>'
const PICTURES = '<img id="own" src="/picture.svg"><img id="blocked" src="https://casino.example/picture.svg">'
const PAGES = { 'https://weather.example/form': FORM, 'https://weather.example/pictures': PICTURES }
const SESSION_SECONDS = 60
const NOT_THE_RIGHT_CODE = /the server responded with a status of (403|429)/

/** @param isWhole all journeys, and not only the most frequent ones */
export function testJourneys(engine: Engine, isWhole: boolean): void {
  const skip = engine.skip || skipWithoutWholeGateway || skipWithoutCertutil
  describe(`journeys through the gateway in ${engine.name}`, { skip }, () => {
    let whole: WholeGateway
    let devices: Devices
    const suite = inReverse({ after })

    before(async () => {
      whole = await start(suite, (folder) => ({ PROXY_ACCESS_LOG: join(folder, 'access.log') }))
      devices = await startTrusting(suite, engine, whole)
    })

    const reached = (host: string, method?: string) => whole.reached(host, method)

    function assertOnPortal(page: Page, path: string, { baseUrl } = whole): void {
      assert.equal(page.url().split('?')[0], `${baseUrl}${path}`)
    }

    /** Opens a site that warns, and goes on. */
    async function proceed(page: Page, url: string, gateway = whole): Promise<void> {
      await page.goto(url)
      assertOnPortal(page, '/warned', gateway)
      await clickProceed(page.getByText('Proceed anyway'))
      await assertReached(page, url)
    }

    test('blocked: the portal’s page, and no request to the site', async (t) => {
      const { page } = await devices.open(t)
      await page.goto('https://casino.example/roulette?table=7')
      assertOnPortal(page, '/blocked')
      assert.equal(await page.locator('h1').innerText(), 'This page is blocked')
      assert.equal(await page.locator('.url strong').innerText(), 'casino.example')
      assert.match(await page.locator('article').innerText(), /Gambling sites are not available here/)
      assert.equal(reached('casino.example'), 0)
    })

    test('warned, then on', async (t) => {
      const { page } = await devices.open(t)
      await page.goto('https://news.example/start?x=1')
      assertOnPortal(page, '/warned')
      assert.equal(reached('news.example'), 0)
      await clickProceed(page.getByText('Proceed anyway'))
      await assertReached(page, 'https://news.example/start?x=1')
      await page.goto('https://news.example/another')
      await assertReached(page, 'https://news.example/another')
    })

    test('policy, then on, and recorded', async (t) => {
      const { page } = await devices.open(t)
      await page.goto('https://social.example/feed')
      assertOnPortal(page, '/aup')
      assert.deepEqual(await query(whole.ledger, 'select state from acceptance'), [])
      await clickProceed(page.getByText('I acknowledge and continue'))
      await assertReached(page, 'https://social.example/feed')
      assert.deepEqual(await query(whole.ledger, 'select rule_name, state, engine_status from acceptance'), [
        { rule_name: 'social', state: 'accepted', engine_status: 302 },
      ])
    })

    test('a stopped POST becomes a GET of the portal’s page', async (t) => {
      const { page } = await devices.open(t)
      await page.goto('https://weather.example/form')
      const stopped = responseTo(page, 'https://casino.example/bet')
      await page.getByText('Bet').click()
      await page.waitForURL(`${whole.baseUrl}/blocked?**`)
      assert.equal(await page.locator('h1').innerText(), 'This page is blocked')
      assert.equal((await stopped).status(), 303)
      assert.equal(reached('casino.example'), 0)
    })

    test('a blocked image leaves a gap in an allowed page', async (t) => {
      const { page, allow } = await devices.open(t)
      // What the browser makes of the portal's page in place of an image.
      allow(/blocked|NotSameOrigin/i)
      await page.goto('https://weather.example/pictures')
      await assertReached(page, 'https://weather.example/pictures')
      const width = (id: string) => page.evaluate(`document.getElementById('${id}').naturalWidth`)
      assert.deepEqual([await width('own'), await width('blocked')], [16, 0])
      assert.equal(reached('casino.example'), 0)
    })

    if (!isWhole) return

    test('PIN: wrong codes, lockout, right code', async (t) => {
      const { page, allow } = await devices.open(t)
      allow(NOT_THE_RIGHT_CODE)
      await page.goto('https://vault.example/')
      assertOnPortal(page, '/warned')
      await enterPin(page, '0000')
      await saysOfPin(page, 'That code is incorrect. 1 attempt left.')
      await enterPin(page, '1111')
      await saysOfPin(page, 'You can try again at')
      assert.equal(reached('vault.example'), 0)
      await saysOfPin(page, 'You can try again now.')
      await enterPin(page, '1234')
      await assertReached(page, 'https://vault.example/')
    })

    test('a session that has expired: the page again', { timeout: 120_000 }, async (t) => {
      const { page } = await devices.open(t)
      await proceed(page, 'https://short.example/')
      const before = performance.now()
      await until(
        async () => {
          await page.goto('https://short.example/')
          return page.url().startsWith(`${whole.baseUrl}/warned?`)
        },
        SESSION_SECONDS + 10,
        1_000,
      )
      const seconds = (performance.now() - before) / 1000
      assert.ok(seconds > SESSION_SECONDS - 10, `it expired after ${seconds.toFixed(0)} s`)
      await clickProceed(page.getByText('Proceed anyway'))
      await assertReached(page, 'https://short.example/')
    })

    test('two devices behind one address share a session', async (t) => {
      const [{ page: first }, { page: second }] = [await devices.open(t), await devices.open(t)]
      await proceed(first, 'https://shared.example/')
      await second.goto('https://shared.example/')
      await assertReached(second, 'https://shared.example/')
    })

    test('two users behind one address do not', async (t) => {
      const withUsers = await start(t, basicAuthentication)
      const { open } = await startTrusting(t, engine, withUsers)
      const login = async (username: string) => (await open(t, { username, password: PASSWORD })).page
      const [first, second] = [await login('anna'), await login('ben')]
      await proceed(first, 'https://shared.example/', withUsers)
      await proceed(second, 'https://shared.example/', withUsers)
      await first.goto('https://shared.example/another')
      await assertReached(first, 'https://shared.example/another')
      const before = withUsers.reached('shared.example')
      assert.equal(before, 3)
      await assert.rejects(withUsers.gateway.request('https://shared.example/'), { status: 407 })
      assert.equal(withUsers.reached('shared.example'), before)
    })

    test('the portal through the proxy, on a device without the bypass', async (t) => {
      const accessLog = join(whole.folder, 'access.log')
      const portalRequests = () => {
        const lines = readFileSync(accessLog, 'utf8').split('\n')
        return lines.filter((line) => line.includes(`"${PORTAL_HOST}"`))
      }
      assert.deepEqual(portalRequests(), [])
      const others = await startTrusting(t, engine, whole, { reachPortalThroughProxy: true })
      const { page } = await others.open(t)
      await page.goto('https://casino.example/')
      assertOnPortal(page, '/blocked')
      assert.equal(await page.locator('h1').innerText(), 'This page is blocked')
      await proceed(page, 'https://other.example/')
      // Squid logs a tunnel when it ends.
      await page.context().close()
      await others.close()
      await until(() => portalRequests().length > 0)
    })

    test('an exempt host has its own certificate, others have one of the gateway', async (t) => {
      const { page } = await devices.open(t)
      await page.goto('https://bank.example/')
      await assertReached(page, 'https://bank.example/')
      // They trust the exempt site's CA alone.
      const strangers = await startDevices(engine, { proxyPort: whole.gateway.port, caFiles: [exemptCaFile(whole)] })
      t.after(strangers.close)
      const { page: other } = await strangers.open(t)
      await other.goto('https://bank.example/')
      await assertReached(other, 'https://bank.example/')
      await assert.rejects(other.goto('https://weather.example/'), /CERT_AUTHORITY_INVALID|SEC_ERROR_UNKNOWN_ISSUER/)
    })
  })
}

function start(t: Cleanup, settings: Required<WholeGatewayPlan>['settings']): Promise<WholeGateway> {
  return startWholeGateway(t, { policy: POLICY, hosts: HOSTS, exempt: ['bank.example'], pages: PAGES, settings })
}

function exemptCaFile({ folder, exemptCa }: WholeGateway): string {
  const path = join(folder, 'exempt-ca.crt')
  writeFileSync(path, exemptCa.certificate)
  return path
}

/** Devices that trust the gateway's CA and that of the exempt sites. */
async function startTrusting(
  t: Cleanup,
  engine: Engine,
  whole: WholeGateway,
  options: Pick<DevicesOptions, 'reachPortalThroughProxy'> = {},
): Promise<Devices> {
  const caFiles = [join(whole.gateway.engine.published, 'ca', 'ca.crt'), exemptCaFile(whole)]
  const devices = await startDevices(engine, { proxyPort: whole.gateway.port, caFiles, ...options })
  t.after(devices.close)
  return devices
}

const PASSWORD = 'correct horse'

/** Settings of a proxy with the users anna and ben. */
function basicAuthentication(folder: string): Record<string, string> {
  const passwords = join(folder, 'passwords')
  const hash = openssl(['passwd', '-apr1', PASSWORD]).toString()
  writeFileSync(passwords, `anna:${hash}ben:${hash}`, { mode: 0o644 })
  const build = execFileSync('/usr/sbin/squid', ['-v'], { timeout: 10_000 }).toString()
  const helpers = /'--libexecdir=([^']*)'/.exec(build)?.[1]
  const settings = join(folder, 'users.conf')
  writeFileSync(
    settings,
    `auth_param basic program ${helpers}/basic_ncsa_auth ${passwords}\nauth_param basic realm Gateway\n`,
  )
  return { PROXY_AUTH: settings }
}

async function assertReached(page: Page, url: string): Promise<void> {
  await page.waitForURL(url)
  assert.equal(await page.locator('h1').innerText(), `You have reached ${new URL(url).host}`)
}

function responseTo(page: Page, url: string): Promise<Response> {
  return page.waitForEvent('response', (response) => response.url() === url)
}

async function enterPin(page: Page, pin: string): Promise<void> {
  await page.locator('[inputmode]').first().focus()
  await page.keyboard.type(pin)
  await clickProceed(page.locator('#enter'))
}

async function saysOfPin(page: Page, text: string): Promise<void> {
  await page.locator('#message', { hasText: text }).waitFor()
}
