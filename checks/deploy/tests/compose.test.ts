// The shipped compose file on a real Docker Engine: what the containers may do, and what a visitor gets at the published ports.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { fingerprint } from '../../../test/support/certificates.ts'
import { send } from '../../../test/terminator/client.ts'
import { images } from '../images.ts'
import { visit } from './acceptances.ts'
import { assertConfined, docker, inspect, networksOf } from './docker.ts'
import { HOSTNAME, type Stack, startStack } from './stack.ts'

const SERVICES = ['terminator', 'portal', 'engine']

describe('the shipped deployment', () => {
  let stack: Stack
  before(async () => {
    stack = await startStack()
  })
  after(() => stack?.remove())
  const project = () => basename(stack.home).toLowerCase()
  const inspected = (service: string) => inspect(stack.container(service))

  test('containers: read-only, without capabilities or new privileges, within limits', () => {
    for (const service of SERVICES) assertConfined(stack.container(service), /^1000[12]:1000[12]$/)
    // The kernel's view of the portal's process.
    const status = docker('exec', stack.container('portal'), 'cat', '/proc/1/status')
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
    const networks = (service: string) => networksOf(stack.container(service))
    assert.deepEqual(SERVICES.map(networks), [
      ['inside', 'outside'],
      ['database', 'engine', 'inside', 'monitoring'],
      ['database', 'engine', 'icap', 'monitoring'],
    ])
    for (const name of ['inside', 'engine', 'database', 'monitoring']) {
      assert.ok(inspect(`${project()}_${name}`).Internal, name)
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

  test('secrets: each container has its own, and can read them', () => {
    const listed = (service: string) =>
      docker('exec', stack.container(service), 'ls', '/run/secrets').split('\n').sort()
    assert.deepEqual(listed('portal'), ['database-password', 'engine-api-token', 'secret-key', 'shared-secret'])
    assert.deepEqual(listed('engine'), ['engine-api-token', 'icap-token', 'shared-secret'])
    const secret = readFileSync(join(stack.home, 'secrets', 'shared-secret'), 'utf8').trim()
    for (const service of ['portal', 'engine']) {
      assert.equal(docker('exec', stack.container(service), 'cat', '/run/secrets/shared-secret'), secret)
    }
  })

  test('metrics: of portal and engine in the network for them, and not in those that visitors’ requests reach', () => {
    const request = `for (const address of process.argv.slice(1)) {
      const { status, text } = await fetch('http://' + address + '/metrics').then(
        async (response) => ({ status: response.status, text: await response.text() }),
        (error) => ({ status: error.cause.code, text: '' }),
      )
      console.log(status, text.split('\\n').find((line) => /^(gateway_captive|engine)_/.test(line))?.split(/[_{ ]/)[0] ?? '-')
    }`
    const from = (network: string, ...addresses: readonly string[]) => {
      const program = ['--entrypoint', 'node', images.base, '--input-type=module', '-e', request, ...addresses]
      return docker('run', '--rm', '--network', `${project()}_${network}`, ...program).split('\n')
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
    const states = (json: string) =>
      JSON.parse(json).findings.map(({ check, state }: { check: string; state: string }) => `${check} ${state}`)
    assert.deepEqual(states(status.stdout), [
      ...['portal ok', 'version ok', 'engine ok', 'secret ok', 'database ok', 'certificate ok', 'policy off'],
    ])
    const connect = ['--connect-http', `127.0.0.1:${stack.httpPort}`, '--connect-https', `127.0.0.1:${stack.httpsPort}`]
    const doctor = await stack.gatewayctl(['portal', 'doctor', '--json', ...connect], {
      GATEWAY_CAPTIVE_CA_PATH: stack.caFile,
      ENGINE_INTERNAL_URL: '',
    })
    // The name is not in this machine's DNS.
    assert.deepEqual(
      states(doctor.stdout).filter((one: string) => one.endsWith(' failing')),
      ['dns failing'],
      doctor.stdout,
    )
  })

  test('a visitor: a blocked page, and a policy that is accepted, recorded, and leads to the site', async () => {
    const [blocked = ''] = stack.verdicts('http://casino.localhost/', 1)
    assert.match((await visit(stack, blocked)).body, /Online gambling is not available on this network/)
    const [policy = ''] = stack.verdicts('http://social.localhost/today', 1)
    assert.ok(policy.startsWith(`${stack.baseUrl}/aup?`), policy)
    const [, link = ''] = /href="(\/api\/captive\/ack\?[^"]+)"/.exec((await visit(stack, policy)).body) ?? []
    const { status, headers } = await visit(stack, `${stack.baseUrl}${link.replaceAll('&amp;', '&')}`)
    assert.deepEqual([status, headers.location], [302, 'http://social.localhost/today'])
    const { acceptances } = JSON.parse(stack.inside('portal', 'acceptances', 'list', '--json'))
    assert.deepEqual([acceptances[0].rule_name, acceptances[0].state], ['social-media-policy', 'accepted'])
  })

  test('the certificate page over plain http: the fingerprint of what is published, and its download', async () => {
    const get = async (path: string) => {
      const { status, body } = await send(`http://127.0.0.1:${stack.httpPort}`, path, { headers: { host: HOSTNAME } })
      assert.equal(status, 200, path)
      return body
    }
    const page = (await get('/ca')).replaceAll(/<\/?span>/g, '')
    assert.ok(page.includes(fingerprint(stack.ca, 'sha256', 'pem')))
    assert.equal(new X509Certificate(await get('/ca.crt')).fingerprint256, new X509Certificate(stack.ca).fingerprint256)
  })
})
