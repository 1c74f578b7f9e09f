// The shipped compose file with a real Docker Engine: what the containers may do, and what a visitor's browser sees over
// the published ports.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { clickWayOn, launchChromium, openPage } from '../../../test/support/browser.ts'
import { fingerprint } from '../../../test/support/certificates.ts'
import { skipWithoutCertutil, skipWithoutChromium } from '../../../test/support/requirement.ts'
import { docker, inspect } from './docker.ts'
import { HOSTNAME, type Stack, startStack } from './stack.ts'

const OURS = ['terminator', 'portal', 'engine']

describe('the shipped deployment', () => {
  let stack: Stack
  before(async () => {
    stack = await startStack()
  })
  after(() => stack?.remove())
  const inspected = (service: string) => inspect(stack.container(service))

  test('containers: read-only, without capabilities or new privileges, within limits', () => {
    for (const service of OURS) {
      const { HostConfig, Config } = inspected(service)
      assert.equal(HostConfig.ReadonlyRootfs, true, service)
      assert.deepEqual([HostConfig.CapDrop, HostConfig.CapAdd ?? []], [['ALL'], []], service)
      assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges:true'], service)
      assert.equal(HostConfig.Privileged, false)
      assert.ok(HostConfig.Memory > 0 && HostConfig.PidsLimit > 0, service)
      assert.equal(HostConfig.RestartPolicy.Name, 'unless-stopped')
      assert.match(Config.User, /^1000[12]:1000[12]$/)
    }
    // What the kernel itself says of the portal's process.
    const status =
      stack.inside('--version') &&
      execFileSync('docker', ['exec', stack.container('portal'), 'cat', '/proc/1/status'], { encoding: 'utf8' })
    assert.match(status, /^Uid:\s+10001\s/m)
    assert.match(status, /^CapEff:\s+0{16}$/m)
    assert.match(status, /^CapBnd:\s+0{16}$/m)
    assert.match(status, /^NoNewPrivs:\s+1$/m)
  })

  test('only the terminator publishes ports; the engine is on its own network alone, which leads nowhere', () => {
    const ports = OURS.map((service) =>
      Object.entries(inspected(service).HostConfig.PortBindings).map(([port, [bound]]) => [port, bound?.HostPort]),
    )
    assert.deepEqual(ports, [
      [
        ['8080/tcp', `${stack.httpPort}`],
        ['8443/tcp', `${stack.httpsPort}`],
      ],
      [],
      [],
    ])
    const networks = (service: string) =>
      Object.keys(inspected(service).NetworkSettings.Networks)
        .map((name) => name.replace(/^.*_/, ''))
        .sort()
    assert.deepEqual(OURS.map(networks), [['inside', 'outside'], ['database', 'engine', 'inside'], ['engine']])
    for (const name of ['inside', 'engine', 'database']) {
      const [full = ''] = Object.keys(inspected('portal').NetworkSettings.Networks).filter((one) =>
        one.endsWith(`_${name}`),
      )
      assert.equal((inspect(full) as unknown as { Internal: boolean }).Internal, true, name)
    }
  })

  test('the published CA is read-only for the portal, and the terminator’s key is not in its reach', () => {
    const mounts = (service: string) =>
      new Map(inspected(service).Mounts.map(({ Destination, RW }) => [Destination, RW]))
    assert.equal(mounts('portal').get('/run/gateway/ca'), false)
    assert.equal(mounts('terminator').get('/run/gateway/terminator'), false)
    assert.equal(mounts('portal').has('/run/gateway/terminator'), false)
    assert.equal(mounts('portal').get('/var/lib/portal'), true)
  })

  test('secrets: nobody on the host but root reads them, and each container reads its own', () => {
    const { home } = stack
    assert.equal(statSync(join(home, 'secrets')).mode & 0o777, 0o700)
    assert.equal(statSync(join(home, '.env')).mode & 0o777, 0o600)
    for (const name of ['shared-secret', 'secret-key', 'engine-api-token']) {
      assert.equal(statSync(join(home, 'secrets', name)).mode & 0o777, 0o440, name)
    }
    const listed = (service: string) =>
      docker('exec', stack.container(service), 'ls', '/run/secrets').split('\n').sort()
    assert.deepEqual(listed('portal'), ['engine-api-token', 'secret-key', 'shared-secret'])
    assert.deepEqual(listed('engine'), ['engine-api-token', 'shared-secret'])
    const secrets = readFileSync(join(home, 'secrets', 'shared-secret'), 'utf8')
    for (const service of ['portal', 'engine']) {
      assert.equal(docker('exec', stack.container(service), 'cat', '/run/secrets/shared-secret'), secrets.trim())
    }
  })

  test('the engine demands the API token of everyone but the portal’s health check', () => {
    const ask = `for (const path of ['/healthz', '/api/captive/ack?p=x&v=1&ts=1800000000']) {
      console.log((await fetch('https://engine:11225' + path)).status)
    }`
    const trust = ['--env', 'NODE_EXTRA_CA_CERTS=/run/gateway/ca/ca.crt', '--env', 'NODE_OPTIONS=']
    const statuses = docker('exec', ...trust, stack.container('portal'), 'node', '--input-type=module', '-e', ask)
    assert.deepEqual(statuses.split('\n'), ['200', '401'])
  })

  test('the CA carries the operator’s name', () => {
    assert.equal(new X509Certificate(stack.ca).toLegacyObject().subject.O, 'Northwind Institute')
  })

  test('gatewayctl finds nothing wrong, from the host and from inside', async () => {
    const status = await stack.gatewayctl(['portal', 'status', '--json'])
    assert.equal(status.status, 0, status.stdout + status.stderr)
    const states = JSON.parse(status.stdout).findings.map(({ name, state }: { name: string; state: string }) => [
      name,
      state,
    ])
    assert.deepEqual(states, [
      ['portal', 'ok'],
      ['version', 'ok'],
      ['engine', 'ok'],
      ['database', 'ok'],
      ['certificate', 'ok'],
      ['policy', 'off'],
    ])
    const connect = ['--connect-http', `127.0.0.1:${stack.httpPort}`, '--connect-https', `127.0.0.1:${stack.httpsPort}`]
    const doctor = await stack.gatewayctl(['portal', 'doctor', '--json', ...connect], {
      GATEWAY_CAPTIVE_CA_PATH: stack.caFile,
      ENGINE_INTERNAL_URL: '',
    })
    const bad = JSON.parse(doctor.stdout).findings.filter(({ result }: { result: string }) => result === 'bad')
    // The name is not in this machine's DNS.
    assert.deepEqual(
      bad.map(({ check }: { check: string }) => check),
      ['dns'],
      doctor.stdout,
    )
  })

  describe('a browser at the published ports', { skip: skipWithoutChromium || skipWithoutCertutil }, () => {
    const home = mkdtempSync(join(tmpdir(), 'stack-browser-'))
    const site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<title>Reached</title>'),
    )
    let browser: Browser
    before(async () => {
      site.listen(0, '127.0.0.1')
      await once(site, 'listening')
      const store = join(home, '.pki', 'nssdb')
      mkdirSync(store, { recursive: true })
      const certutil = (...args: string[]) => execFileSync('certutil', ['-d', `sql:${store}`, ...args])
      certutil('-N', '--empty-password')
      certutil('-A', '-n', 'Interception CA', '-t', 'C,,', '-i', stack.caFile)
      browser = await launchChromium([`--host-resolver-rules=MAP ${HOSTNAME} 127.0.0.1`], home)
    })
    after(async () => {
      await browser?.close()
      site.close()
      site.closeAllConnections()
      rmSync(home, { recursive: true, force: true })
    })
    const address = (host: string) => `http://${host}.localhost:${(site.address() as AddressInfo).port}/today`

    async function visit(t: TestContext, host: string) {
      const [redirect = ''] = stack.verdicts(address(host), 1)
      assert.ok(redirect.startsWith(`${stack.baseUrl}/`), redirect)
      const { page } = await openPage(t, browser)
      await page.goto(redirect)
      return page
    }

    test('blocked: what happened, and no way on', async (t) => {
      const page = await visit(t, 'casino')
      assert.match((await page.textContent('main')) ?? '', /Online gambling is not available on this network/)
      assert.equal(await page.locator('a[href^="/api/captive/ack"]').count(), 0)
    })

    test('warned: on to the site', async (t) => {
      const page = await visit(t, 'news')
      await clickWayOn(page.getByRole('link', { name: 'Proceed anyway' }))
      await page.waitForURL(address('news'))
      assert.equal(await page.title(), 'Reached')
    })

    test('a policy: accepted, recorded, on to the site', async (t) => {
      const page = await visit(t, 'social')
      await clickWayOn(page.getByRole('link', { name: 'I acknowledge and continue' }))
      await page.waitForURL(address('social'))
      assert.equal(await page.title(), 'Reached')
      const { acceptances } = JSON.parse(stack.inside('portal', 'acceptances', 'list', '--json'))
      assert.deepEqual(
        [acceptances[0].rule_name, acceptances[0].state, acceptances[0].document_source],
        ['social-media-policy', 'accepted', 'shown'],
      )
    })

    test('the certificate page over plain http: the fingerprint of what is published, and its download', async (t) => {
      const { page } = await openPage(t, browser)
      await page.goto(`http://${HOSTNAME}:${stack.httpPort}/ca`)
      assert.equal(await page.locator('#sha256').textContent(), fingerprint(stack.ca, 'sha256', 'pem'))
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('details[open] .primary').click(),
      ])
      assert.equal(new URL(download.url()).pathname, '/ca.crt')
    })
  })
})
