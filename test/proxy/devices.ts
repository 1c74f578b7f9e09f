// Devices behind the proxy: browsers that trust the gateway's CA and use its proxy, as an operator has set them up.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { CHROMIUM, type Engine, launchChromium, launchFirefox, openPage, type WatchedPage } from '../support/browser.ts'
import { trustCa, trustInFirefox } from '../support/certificate-store.ts'
import { PORTAL_HOST } from './proxy.ts'

export interface DevicesOptions {
  /** On loopback. */
  readonly proxyPort: number
  /** PEM files of the CAs that they trust. */
  readonly caFiles: readonly string[]
  /** Whether they use the proxy for the portal, too. Devices are usually told not to. */
  readonly reachPortalThroughProxy?: boolean
}

/** For the proxy. */
interface User {
  readonly username: string
  readonly password: string
}

export interface Devices {
  /** Opens a page on a new device. */
  open(t: TestContext, user?: User): Promise<WatchedPage>
  close(): Promise<void>
}

export async function startDevices(engine: Engine, options: DevicesOptions): Promise<Devices> {
  const home = mkdtempSync(join(tmpdir(), 'devices-'))
  const browser = await launch(engine, home, options)
  const server = `http://127.0.0.1:${options.proxyPort}`
  const bypass = options.reachPortalThroughProxy ? {} : { bypass: PORTAL_HOST }
  return {
    open(t, user) {
      if (engine === CHROMIUM) return openPage(t, browser, { proxy: { server, ...bypass, ...user } })
      // A proxy of one context does not get what a host that bypasses it redirects to: Firefox's own settings do that.
      return openPage(t, browser, user === undefined ? {} : { proxy: { server, ...user } })
    },
    async close() {
      await browser.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function launch(
  engine: Engine,
  home: string,
  { proxyPort: port, caFiles, reachPortalThroughProxy = false }: DevicesOptions,
): Promise<Browser> {
  if (engine === CHROMIUM) {
    trustCa(home, ...caFiles)
    return await launchChromium([`--host-resolver-rules=MAP ${PORTAL_HOST} 127.0.0.1`], home)
  }
  trustInFirefox(home, ...caFiles)
  return await launchFirefox(home, reachPortalThroughProxy ? [] : [PORTAL_HOST], {
    'network.proxy.type': 1,
    'network.proxy.http': '127.0.0.1',
    'network.proxy.http_port': port,
    'network.proxy.ssl': '127.0.0.1',
    'network.proxy.ssl_port': port,
    'network.proxy.no_proxies_on': reachPortalThroughProxy ? '' : PORTAL_HOST,
  })
}
