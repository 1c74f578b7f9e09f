// The profile gateway of the shipped compose file: a client browses through the proxy, and meets the portal on the way.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeServed } from '../../../test/support/certificates.ts'
import { listen } from '../../../test/support/listen.ts'
import { until } from '../../../test/support/until.ts'
import { images } from '../images.ts'
import { assertConfined, docker, inspect, networksOf } from './docker.ts'
import { HOSTNAME, type Stack, startStack } from './stack.ts'

const POLICY = `
default = "allow"
[captive_portal]
[control]
[certificates]
[[rules]]
name = "gambling"
match = [".casino.example"]
action = "block"
description = "Online gambling is not available on this network"
`
/** An https site that writes each request's host and path to standard output. */
const ORIGIN = `
const { CERTIFICATE: cert, KEY: key } = process.env
require('node:https').createServer({ cert, key }, (request, response) => {
  console.log(request.headers.host + request.url)
  response.end('the origin')
}).listen(443, () => console.log('listening'))`

describe('the whole gateway', () => {
  let stack: Stack
  let origin: string | undefined
  before(async () => {
    const { ca, leaf } = makeServed('open.example')
    stack = await startStack({ gateway: { policy: POLICY, originCa: ca.certificate } })
    const aliases = ['open.example', 'www.casino.example'].flatMap((name) => ['--network-alias', name])
    const pair = ['--env', `CERTIFICATE=${leaf.certificate}`, '--env', `KEY=${leaf.key}`]
    const network = ['--network', networkOf('outside'), ...aliases]
    const started = docker('run', '--detach', ...network, ...pair, '--entrypoint', 'node', images.base, '-e', ORIGIN)
    origin = started
    await until(() => docker('logs', started).includes('listening'), 30, 100)
  })
  after(() => {
    if (origin !== undefined) docker('rm', '--force', '--volumes', origin)
    stack?.remove()
  })
  afterEach((t) => {
    if ('passed' in t && !t.passed) t.diagnostic(stack.compose('logs', '--no-color', 'proxy'))
  })
  const networkOf = (name: string) => `${basename(stack.home).toLowerCase()}_${name}`

  /** As a device that trusts the published CA, and no other one. */
  async function browse(url: string, ...options: readonly string[]) {
    const proxy = ['--proxy', `http://127.0.0.1:${stack.proxyPort}`, '--noproxy', '', '--cacert', stack.caFile]
    const limits = ['--silent', '--show-error', '--max-time', '20']
    const report = ['--write-out', '\n%{http_code} %{redirect_url}']
    const { stdout } = await promisify(execFile)('curl', [...proxy, ...limits, ...report, ...options, url], {
      timeout: 30_000,
    })
    const end = stdout.lastIndexOf('\n')
    const [status, location = ''] = stdout.slice(end + 1).split(' ')
    return { status: Number(status), location, body: stdout.slice(0, end) }
  }
  const reached = () =>
    docker('logs', origin ?? '')
      .split('\n')
      .slice(1)

  test('the proxy’s container: read-only, without capabilities, one port, its own secret and networks', () => {
    const container = stack.container('proxy')
    assertConfined(container, /^10003:10003$/)
    const { HostConfig, Mounts } = inspect(container)
    const ports = Object.entries(HostConfig.PortBindings).map(([port, [bound]]) => [port, bound?.HostPort])
    assert.deepEqual(ports, [['3128/tcp', `${stack.proxyPort}`]])
    assert.deepEqual(networksOf(container), ['icap', 'outside'])
    assert.ok(Mounts.every(({ Type, RW }) => Type === 'tmpfs' || !RW))
    assert.equal(docker('exec', container, 'ls', '/run/secrets'), 'icap-token')
    assert.ok(inspect(networkOf('icap')).Internal)
  })

  test('an allowed https site: decrypted below the published CA, and verified', async () => {
    assert.deepEqual(await browse('https://open.example/page?a=b'), { status: 200, location: '', body: 'the origin' })
    assert.deepEqual(reached(), ['open.example/page?a=b'])
  })

  test('a blocked https site: the portal’s page, and the site is never contacted', async () => {
    const { status, location } = await browse('https://www.casino.example/')
    assert.equal(status, 302)
    assert.ok(location.startsWith(`${stack.baseUrl}/blocked?p=`), location)
    // The portal through the proxy, which neither decrypts this connection nor asks the engine.
    const page = await browse(location)
    assert.match(page.body, /Online gambling is not available on this network/)
    assert.ok(reached().every((line) => !line.includes('casino')))
  })

  test('what is inside is out of reach: the container, its host, the engine', async (t) => {
    const before = reached().length
    const addressIn = (name: string) =>
      inspect(stack.container('proxy')).NetworkSettings.Networks[networkOf(name)]?.IPAddress ?? ''
    const port = await listen(
      t,
      createServer((_, response) => response.end('the host')),
      '0.0.0.0',
    )
    for (const name of ['outside', 'icap']) {
      const url = `http://${addressIn(name).replace(/\d+$/, '1')}:${port}/`
      assert.equal(await (await fetch(url)).text(), 'the host')
      assert.equal((await browse(url)).status, 403, `${name}: ${url}`)
    }
    const ofProxy = ['http://127.0.0.1:3128/', `http://${addressIn('icap')}:3128/`]
    for (const url of [...ofProxy, 'http://engine:9465/metrics', 'https://engine:11225/healthz']) {
      assert.ok((await browse(url)).status >= 400, url)
    }
    assert.equal(reached().length, before)
  })

  test(`${HOSTNAME} is reached without the proxy, too`, async () => {
    const directly = ['--noproxy', '*', '--resolve', `${HOSTNAME}:${stack.httpsPort}:127.0.0.1`]
    assert.equal((await browse(`${stack.baseUrl}/ca`, ...directly)).status, 200)
  })
})
