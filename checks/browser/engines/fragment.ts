// The fragment of the address that the visitor wanted: redirects bring it to the portal's page, and every way on takes it
// along, although no server sees it. Nothing in it changes where a way leads.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { acknowledgement, PASSPHRASE, type Relay, startRelay } from '../../../test/portal/acknowledgement/relay.ts'
import {
  CHROMIUM,
  clickProceed,
  type Engine,
  type RunningEngine,
  watchInjected,
} from '../../../test/support/browser.ts'
import { problemResponse, rawResponse, respondWith } from '../../../test/support/hostile-engine.ts'

const FRAGMENT = '#/inbox/42?view=all&q=%C3%BC'
const HOSTILE = [
  '#javascript:alert(1)',
  '#"><img src=x onerror=alert(1)>',
  "#' onfocus=alert(1) autofocus x='",
  '#//evil.example/',
  '#@evil.example',
  '#\\\\evil.example',
  '#?p=A&v=1&ts=1',
  '#</script><script>alert(1)</script>',
  '##main',
  '#%0d%0aLocation:%20https://evil.example/',
  '#%00%',
  '#enter',
  '#__proto__',
  `#${'x/'.repeat(3000)}`,
]
const WRONG = respondWith(problemResponse('403 Forbidden', { type: '/problems/override-code-rejected' }))
const REFUSED = respondWith(rawResponse('403 Forbidden'))

/** Every address on the page, without its fragment. */
const ADDRESSES = `Array.from(document.links, ({ href, hash }) => href.slice(0, href.length - hash.length))`

export function testFragment(engine: Engine, browser: () => RunningEngine): void {
  describe('the fragment', () => {
    let relay: Relay
    let origin: string
    /** Where the gateway redirects, until the site is open. */
    let page = ''
    const site = createServer(({ url }, response) => {
      if (url?.startsWith('/app')) response.writeHead(302, { location: page }).end()
      else response.setHeader('content-type', 'text/html').end('<link rel="icon" href="data:,"><title>site</title>')
    })

    before(async () => {
      relay = await startRelay(undefined, REFUSED, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
      site.listen(0, '127.0.0.1')
      await once(site, 'listening')
      origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    })
    after(async () => {
      await relay?.close()
      site.close()
      site.closeAllConnections()
    })

    const open302 = () => relay.engine.behave(respondWith(rawResponse('302 Found', [`Location: ${origin}/story?id=7`])))

    /** Asks the site for an address with a fragment, and gets to the verdict's page, as a visitor does. */
    async function stop(t: TestContext, changes: Partial<VerdictClaims>, fragment = FRAGMENT, isScripted = true) {
      const { page: visitor, allow } = await browser().openPage(t, { javaScriptEnabled: isScripted })
      allow(/status of 403/)
      page = relay.portal.address + acknowledgement({ destination: `${origin}/story?id=7`, ...changes }).page
      await visitor.goto(`${origin}/app${fragment}`)
      assert.equal(new URL(visitor.url()).hash, new URL(`http://a/${fragment}`).hash)
      return visitor
    }
    const arrives = async (visitor: Page, fragment = FRAGMENT) => {
      const { href } = new URL(`${origin}/story?id=7${fragment}`)
      await visitor.waitForURL((url) => url.href === href)
    }

    const unlock = async (visitor: Page, code: string) => {
      await visitor.fill('#passphrase', code)
      await clickProceed(visitor.locator('#enter'))
    }

    for (const [kind, name] of [
      ['warn', 'Proceed anyway'],
      ['aup', 'I acknowledge and continue'],
    ] as const) {
      test(`is kept by “${name}”`, async (t) => {
        open302()
        const visitor = await stop(t, { kind })
        await clickProceed(visitor.getByRole('link', { name }))
        await arrives(visitor)
      })
    }

    test('is kept by Unlock, after a wrong code, a change of language, the skip link and light or dark', async (t) => {
      relay.engine.behave(WRONG)
      const visitor = await stop(t, { kind: 'warn', ...PASSPHRASE })
      await visitor.locator('header summary').press('Enter')
      await visitor.locator('header a[lang=de]').press('Enter')
      await visitor.locator('html[lang=de]').waitFor()
      assert.equal(visitor.url(), page + FRAGMENT)
      await visitor.locator('.skip').press('Enter')
      await visitor.click('#theme')
      await unlock(visitor, 'wrong')
      await visitor.locator('#message:not(:empty)').waitFor()
      assert.equal(visitor.url(), page + FRAGMENT)
      open302()
      await unlock(visitor, 'right')
      await arrives(visitor)
    })

    // The page is the same in every engine; in Firefox each visit takes seconds.
    if (engine !== CHROMIUM) return

    test('is kept on the link of an unlocked page whose address was shortened', async (t) => {
      open302()
      const visitor = await stop(t, { kind: 'warn', ...PASSPHRASE, shortened: true })
      await unlock(visitor, 'right')
      await visitor.click('#go-on')
      await arrives(visitor)
    })

    test('is kept by every language, and when the acknowledgement fails', async (t) => {
      relay.engine.behave(REFUSED)
      const visitor = await stop(t, { kind: 'warn' })
      for (const locale of ['fr', 'en']) {
        await visitor.locator('header summary').press('Enter')
        await visitor.locator(`header a[lang=${locale}]`).press('Enter')
        await visitor.locator(`html[lang=${locale}]`).waitFor()
        assert.equal(visitor.url(), page + FRAGMENT)
      }
      await clickProceed(visitor.locator('a.button'))
      await visitor.locator('#reopen').press('Enter')
      await arrives(visitor)
    })

    test('of the destination itself wins', async (t) => {
      open302()
      const visitor = await stop(t, { kind: 'warn', ...PASSPHRASE, destination: `${origin}/story?id=7#own` })
      await unlock(visitor, 'right')
      await arrives(visitor, '#own')
    })

    test('that is hostile changes no address, adds nothing and runs nothing', async (t) => {
      for (const changes of [{ kind: 'warn' }, { kind: 'warn', ...PASSPHRASE }] as const) {
        const visitor = await stop(t, changes, '')
        const [elements, addresses] = await Promise.all([visitor.locator('*').count(), visitor.evaluate(ADDRESSES)])
        const injected = watchInjected(visitor, 'http://127.0.0.1')
        for (const fragment of HOSTILE) {
          await visitor.goto('about:blank')
          await visitor.goto(`${origin}/app${fragment}`)
          assert.equal(await visitor.locator('*').count(), elements, fragment)
          assert.deepEqual(await visitor.evaluate(ADDRESSES), addresses, fragment)
        }
        assert.deepEqual(injected, { dialogs: 0, outside: [] })
      }
    })

    test('without script the way on works, without it', async (t) => {
      open302()
      const visitor = await stop(t, { kind: 'warn' }, FRAGMENT, false)
      await visitor.locator('a.button').press('Enter')
      await arrives(visitor, '')
    })
  })
}
