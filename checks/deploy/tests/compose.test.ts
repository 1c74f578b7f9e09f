// The shipped compose file on a real Docker Engine: what the containers may do, and what a visitor's browser sees at
// the published ports.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { parse } from 'yaml'
import { clickProceed, launchChromium, openPage } from '../../../test/support/browser.ts'
import { fingerprint } from '../../../test/support/certificates.ts'
import { skipWithoutCertutil, skipWithoutChromium } from '../../../test/support/requirement.ts'
import { docker, inspect } from './docker.ts'
import { images } from './images.ts'
import { HOSTNAME, type Stack, startStack } from './stack.ts'

const SERVICES = ['terminator', 'portal', 'engine']

describe('the shipped deployment', () => {
  let stack: Stack
  before(async () => {
    stack = await startStack()
  })
  after(() => stack?.remove())
  const inspected = (service: string) => inspect(stack.container(service))

  test('containers: read-only, without capabilities or new privileges, within limits', () => {
    for (const service of SERVICES) {
      const { HostConfig, Config } = inspected(service)
      assert.equal(HostConfig.ReadonlyRootfs, true, service)
      assert.deepEqual([HostConfig.CapDrop, HostConfig.CapAdd ?? []], [['ALL'], []], service)
      assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges:true'], service)
      assert.equal(HostConfig.Privileged, false)
      assert.ok(HostConfig.Memory > 0 && HostConfig.PidsLimit > 0, service)
      assert.equal(HostConfig.RestartPolicy.Name, 'unless-stopped')
      assert.match(Config.User, /^1000[12]:1000[12]$/)
    }
    // The kernel's view of the portal's process.
    const status =
      stack.inside('--version') &&
      execFileSync('docker', ['exec', stack.container('portal'), 'cat', '/proc/1/status'], { encoding: 'utf8' })
    assert.match(status, /^Uid:\s+10001\s/m)
    assert.match(status, /^CapEff:\s+0{16}$/m)
    assert.match(status, /^CapBnd:\s+0{16}$/m)
    assert.match(status, /^NoNewPrivs:\s+1$/m)
  })

  test('only the terminator publishes ports; the networks of the engine lead nowhere', () => {
    const ports = SERVICES.map((service) =>
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
    assert.deepEqual(SERVICES.map(networks), [
      ['inside', 'outside'],
      ['database', 'engine', 'inside', 'monitoring'],
      ['database', 'engine', 'icap', 'monitoring'],
    ])
    for (const name of ['inside', 'engine', 'database', 'monitoring']) {
      const [full = ''] = Object.keys(inspected('portal').NetworkSettings.Networks).filter((one) =>
        one.endsWith(`_${name}`),
      )
      assert.equal((inspect(full) as unknown as { Internal: boolean }).Internal, true, name)
    }
  })

  test('the published CA is read-only for the portal, and the terminator’s key is not mounted there', () => {
    const mounts = (service: string) =>
      new Map(inspected(service).Mounts.map(({ Destination, RW }) => [Destination, RW]))
    assert.equal(mounts('portal').get('/run/gateway/ca'), false)
    assert.equal(mounts('terminator').get('/run/gateway/terminator'), false)
    assert.equal(mounts('portal').has('/run/gateway/terminator'), false)
    assert.equal(mounts('portal').get('/var/lib/portal'), true)
  })

  test('secrets: only root reads them on the host, and each container reads its own', () => {
    const { home } = stack
    assert.equal(statSync(join(home, 'secrets')).mode & 0o777, 0o700)
    assert.equal(statSync(join(home, '.env')).mode & 0o777, 0o600)
    for (const name of ['shared-secret', 'secret-key', 'engine-api-token', 'icap-token', 'database-password']) {
      assert.equal(statSync(join(home, 'secrets', name)).mode & 0o777, 0o440, name)
    }
    const listed = (service: string) =>
      docker('exec', stack.container(service), 'ls', '/run/secrets').split('\n').sort()
    assert.deepEqual(listed('portal'), ['database-password', 'engine-api-token', 'secret-key', 'shared-secret'])
    assert.deepEqual(listed('engine'), ['engine-api-token', 'icap-token', 'shared-secret'])
    const secrets = readFileSync(join(home, 'secrets', 'shared-secret'), 'utf8')
    for (const service of ['portal', 'engine']) {
      assert.equal(docker('exec', stack.container(service), 'cat', '/run/secrets/shared-secret'), secrets.trim())
    }
  })

  test('metrics: of portal and engine in the network for them, and not in those that visitors’ requests reach', () => {
    const project = basename(stack.home).toLowerCase()
    const request = `for (const address of process.argv.slice(1)) {
      const { status, text } = await fetch('http://' + address + '/metrics').then(
        async (response) => ({ status: response.status, text: await response.text() }),
        (error) => ({ status: error.cause.code, text: '' }),
      )
      console.log(status, text.split('\\n').find((line) => /^(gateway_captive|engine)_/.test(line))?.split(/[_{ ]/)[0] ?? '-')
    }`
    const from = (network: string, ...addresses: readonly string[]) => {
      const program = ['--entrypoint', 'node', images.base, '--input-type=module', '-e', request, ...addresses]
      return docker('run', '--rm', '--network', `${project}_${network}`, ...program).split('\n')
    }
    assert.deepEqual(from('monitoring', 'portal:9464', 'engine-metrics:9465'), ['200 gateway', '200 engine'])
    assert.deepEqual(from('icap', 'engine:9465'), ['ECONNREFUSED -'])
    assert.deepEqual(from('engine', 'engine:9465'), ['ECONNREFUSED -'])
  })

  test('observability/journald.yaml sends the logs of portal and engine to the journal, without options of the shipped driver', () => {
    const services = (...files: readonly string[]) =>
      parse(stack.compose(...files.flatMap((file) => ['--file', file]), 'config')).services
    const [shipped, extended] = [services('compose.yaml'), services('compose.yaml', 'observability/journald.yaml')]
    assert.deepEqual(Object.keys(extended), Object.keys(shipped))
    for (const [name, { logging }] of Object.entries<{ logging: object }>(extended)) {
      const isOurs = name === 'portal' || name === 'engine'
      const expected = { driver: 'journald', options: { tag: `gateway-${name}` } }
      assert.deepEqual(logging, isOurs ? expected : shipped[name].logging, name)
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

  test('gatewayctl finds no problem, from the host and from inside', async () => {
    const status = await stack.gatewayctl(['portal', 'status', '--json'])
    assert.equal(status.status, 0, status.stdout + status.stderr)
    const states = JSON.parse(status.stdout).findings.map(({ check, state }: { check: string; state: string }) => [
      check,
      state,
    ])
    assert.deepEqual(states, [
      ['portal', 'ok'],
      ['version', 'ok'],
      ['engine', 'ok'],
      ['secret', 'ok'],
      ['database', 'ok'],
      ['certificate', 'ok'],
      ['policy', 'off'],
    ])
    const connect = ['--connect-http', `127.0.0.1:${stack.httpPort}`, '--connect-https', `127.0.0.1:${stack.httpsPort}`]
    const doctor = await stack.gatewayctl(['portal', 'doctor', '--json', ...connect], {
      GATEWAY_CAPTIVE_CA_PATH: stack.caFile,
      ENGINE_INTERNAL_URL: '',
    })
    const bad = JSON.parse(doctor.stdout).findings.filter(({ state }: { state: string }) => state === 'failing')
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

    test('blocked: says what happened, and offers no way to proceed', async (t) => {
      const page = await visit(t, 'casino')
      assert.match((await page.textContent('main')) ?? '', /Online gambling is not available on this network/)
      assert.equal(await page.locator('a[href^="/api/captive/ack"]').count(), 0)
    })

    test('warned: on to the site', async (t) => {
      const page = await visit(t, 'news')
      await clickProceed(page.getByRole('link', { name: 'Proceed anyway' }))
      await page.waitForURL(address('news'))
      assert.equal(await page.title(), 'Reached')
    })

    test('a policy: accepted, recorded, on to the site', async (t) => {
      const page = await visit(t, 'social')
      await clickProceed(page.getByRole('link', { name: 'I acknowledge and continue' }))
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
