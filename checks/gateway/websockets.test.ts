// WebSockets as a browser opens them: `wss://` in a decrypted tunnel, `ws://` in one to port 80, in which nothing is encrypted.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startDevices } from '../../test/proxy/devices.ts'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { CHROMIUM } from '../../test/support/browser.ts'
import { inReverse } from '../../test/support/cleanup.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { skipWithoutCertutil } from '../../test/support/requirement.ts'

const skip = skipWithoutGateway || CHROMIUM.skip || skipWithoutCertutil
if (!skip) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "gambling"
match = ["casino.example", "blocked-bank.example"]
action = "block"
`

describe('WebSockets in Chromium', { skip, timeout: 120_000 }, async () => {
  const suite = inReverse({ after })
  const { port, sites, engine, run } = await startGateway(suite, {
    sites: { names: ['news.example', 'casino.example', 'bank.example', 'blocked-bank.example'] },
    policy: POLICY,
    published: { 'exempt-hosts': 'bank.example\nblocked-bank.example\n' },
  })
  const sitesCa = join(run, '..', 'sites-ca.pem')
  writeFileSync(sitesCa, sites.ca.certificate)
  const caFiles = [join(engine.published, 'ca', 'ca.crt'), sitesCa]
  const devices = await startDevices(CHROMIUM, { proxyPort: port, caFiles })
  suite.after(devices.close)

  for (const [url, expected] of [
    ['wss://news.example/', 'open'],
    ['wss://casino.example/', 'error'],
    ['wss://bank.example/', 'open'],
    // Refused, because nobody could decide what is in it.
    ['ws://news.example/', 'error'],
    ['ws://casino.example/', 'error'],
    // Exempt: the engine decides about the host.
    ['ws://bank.example/', 'open'],
    ['ws://blocked-bank.example/', 'error'],
  ] as const) {
    test(`${url}: ${expected}`, async (t) => {
      const { page, allow } = await devices.open(t)
      if (expected === 'error') allow(/WebSocket/)
      const seen = await page.evaluate(`new Promise((resolve) => {
        const socket = new WebSocket(${JSON.stringify(url)})
        socket.onopen = () => socket.send('hello')
        socket.onerror = () => resolve('error')
        socket.onmessage = ({ data }) => {
          socket.onclose = ({ wasClean }) => resolve({ data, wasClean })
          socket.close()
        }
      })`)
      assert.deepEqual(seen, expected === 'open' ? { data: 'hello', wasClean: true } : 'error')
    })
  }
})
