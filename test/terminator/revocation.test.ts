// A browser whose administrator wants revocation checked, and the portal's leaf: it goes on only where it gets the list.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { chromium } from 'playwright-core'
import { publishCertificates } from '../../src/engine/certificates/publish.ts'
import { policy } from '../engine/running-engine.ts'
import { CHROMIUM_ARGUMENTS } from '../support/browser.ts'
import { trustCa } from '../support/certificate-store.ts'
import { freePort } from '../support/free-port.ts'
import { startListServer } from '../support/list-server.ts'
import { chromiumPath, skipWithoutCertutil, skipWithoutChromium } from '../support/requirement.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { startChain } from './chain.ts'

const skip = skipWithoutNginx || skipWithoutChromium || skipWithoutCertutil

/** What a Chromium that trusts the CA, and has this policy, makes of an address: its status, or the name of the error. */
async function visit(t: TestContext, url: string, caFile: string, isInsisting: boolean): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'browser-home-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  trustCa(home, caFile)
  const profile = join(home, 'profile')
  mkdirSync(profile)
  // Where Chromium keeps what the policy RequireOnlineRevocationChecksForLocalAnchors says.
  const state = { ssl: { rev_checking: { required_for_local_anchors: isInsisting } } }
  writeFileSync(join(profile, 'Local State'), JSON.stringify(state))
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath as string,
    env: { ...process.env, HOME: home },
    args: CHROMIUM_ARGUMENTS,
  })
  try {
    const response = await (await browser.newPage()).goto(url)
    return `${response?.status()}`
  } catch (error) {
    return /ERR_\w+/.exec((error as Error).message)?.[0] ?? String(error)
  } finally {
    await browser.close()
  }
}

test('a browser that insists on a revocation list', { skip, timeout: 60_000 }, async (t) => {
  const chain = await startChain(t, policy(''))
  const { folder } = chain.engine
  let asked = 0
  const listed = await startListServer(t, () => {
    asked++
    return join(folder, 'revocation', 'ca.crl')
  })
  const visitWith = async (crlUrl: string | undefined, isInsisting = true) => {
    const names = { portalHost: 'portal.example', portalNames: ['localhost', '127.0.0.1'], controlNames: [] }
    await publishCertificates({ folder, organisation: 'Test', ...names, crlUrl, clock: Date.now })
    return await visit(t, `${chain.baseUrl}/privacy`, chain.caFile, isInsisting)
  }
  assert.equal(await visitWith(undefined), 'ERR_CERT_NO_REVOCATION_MECHANISM')
  const unreachable = `http://127.0.0.1:${await freePort()}/gateway.crl`
  assert.equal(await visitWith(unreachable), 'ERR_CERT_UNABLE_TO_CHECK_REVOCATION')
  assert.equal(await visitWith(listed), '200')
  assert.equal(asked, 1)
  assert.equal(await visitWith(listed, false), '200')
  assert.equal(asked, 1, 'others do not ask')
})
