// axe-core over every kind of page, in every palette, light and dark.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import type { VerdictClaims } from '../../src/contract/verdict.ts'
import { launchChromium, openPage } from '../support/browser.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

const { source } = createRequire(import.meta.url)('axe-core') as { source: string }

const verdicts: readonly Partial<VerdictClaims>[] = [
  {},
  { kind: 'warn' },
  { kind: 'warn', ack_token: ACK_TOKEN },
  { kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'pin', length: 6 } },
  { kind: 'aup', ack_token: ACK_TOKEN, override: { type: 'passphrase', prompt: 'Code vom Empfang' } },
  { kind: 'aup', ack_token: ACK_TOKEN },
]
const targets = [...verdicts.map((changes) => verdictTarget(claims(NOW, changes))), '/privacy', '/nowhere']

describe('axe-core', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  for (const palette of ['indigo', 'amber', 'bsod']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`finds nothing in ${palette}, ${colorScheme}`, async (t) => {
        const portal = await startPortal(t, {
          env: {
            ENGINE_INTERNAL_URL: 'http://127.0.0.1:1',
            GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1',
            GATEWAY_CAPTIVE_BRAND_PALETTE: palette,
            GATEWAY_CAPTIVE_SUPPORT_URL: 'mailto:help@school.example',
          },
        })
        const { page, allow } = await openPage(t, browser, { colorScheme })
        allow(/404/)
        for (const target of targets) {
          await page.goto(portal.address + target)
          await page.evaluate(source)
          const { violations } = (await page.evaluate('axe.run()')) as AxeResults
          const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
          assert.deepEqual(found, [], target.slice(0, 20))
        }
      })
    }
  }
})
