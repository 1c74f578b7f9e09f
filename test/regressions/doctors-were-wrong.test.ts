// Stories of what `status` and `doctor` of gatewayctl said wrongly; each suite is one.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pageFaults } from '../../src/gatewayctl/portal/doctor/certificate.ts'
import { outcome } from '../engine/icap/icap-client.ts'
import { get, TOKEN } from '../engine/icap/messages.ts'
import { API_TOKEN, policy, startEngine } from '../engine/running-engine.ts'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { makeServed } from '../support/certificates.ts'
import { listen } from '../support/listen.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// With a logo, `gatewayctl portal doctor` said of /ca that it needs further requests, although the logo is part of the page: in
// "src="data:" the optional quote of its pattern also matched nothing, and what followed then was not "data:".
test('a logo failed the doctor', { skip: skipWithoutOpenssl }, () => {
  const { fingerprint256 } = new X509Certificate(makeServed('localhost').ca.certificate)
  for (const [image, faults] of [
    ['src="data:image/svg+xml,x"', []],
    ["src='data:image/png;base64,x'", []],
    ['src = data:image/webp,x', []],
    // Control.
    ['src="/logo.svg"', ['it needs further requests']],
    ['src=logo.svg', ['it needs further requests']],
    ["src = 'https://cdn.example/data:'", ['it needs further requests']],
  ] as const) {
    const body = Buffer.from(`<img ${image} alt="Northwind"><p>${fingerprint256}</p>`)
    const response = { status: 200, headers: {}, body } as Parameters<typeof pageFaults>[0]
    const published = { certificate: { sha256: fingerprint256 } } as Parameters<typeof pageFaults>[1]
    assert.deepEqual(pageFaults(response, published), faults, image)
  }
})

// Seen: with PROXY_AUTH, `gatewayctl proxy status` exited with 1 and "proxy wrong 407: the proxy requires a user", and so did every
// monitor that used it, although nothing was wrong: 407 is what the proxy owes a request without a user. Since there are users.
describe('the status was wrong with users', () => {
  async function statusOf(t: TestContext, ...options: readonly string[]) {
    const proxy = createServer((_, response) => response.writeHead(407).end())
    proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
    return await gatewayctl(['proxy', 'status', '--proxy', `127.0.0.1:${await listen(t, proxy)}`, ...options])
  }
  test('without credentials nothing is wrong; what was not tried is skipped', async (t) => {
    const { status, stdout } = await statusOf(t)
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^proxy +ok +127\.0\.0\.1:\d+ responds, and requires a user$/m)
    assert.match(stdout, /^uses-engine +skipped +not tried: --credentials names a file with NAME:PASSWORD$/m)
  })
  test('control: credentials that the proxy rejects', async (t) => {
    const file = join(temporaryFolder(t), 'credentials')
    writeFileSync(file, 'alice:wrong\n')
    const { status, stdout } = await statusOf(t, '--credentials', file)
    assert.equal(status, 1)
    assert.match(stdout, /^proxy +failing +407: the proxy rejects these credentials$/m)
    assert.match(stdout, /^uses-engine +skipped +not tried: the proxy rejects these credentials$/m)
  })
})

// Seen by reading: `gatewayctl proxy doctor` compared an engine's count of decisions before and after its own request, and reported
// "this-engine ok" for every engine that another proxy used meanwhile, although its own request went elsewhere. Since there is a
// doctor for the proxy. Idle engines were recognised.
describe('the doctor recognised any busy engine', () => {
  const ICAP = '[icap]\nlisten = "127.0.0.1:0"\ntoken_file = "icap-token"\n'

  /** What it says about an engine that another proxy uses, through a proxy whose engine has this instance, or the same. */
  async function examine(t: TestContext, other?: string) {
    const engine = await startEngine(t, policy(ICAP), { files: { 'icap-token': TOKEN } })
    const instance = other ?? String((await engine.administer('status', {})).json.instance)
    const tokenFile = join(temporaryFolder(t), 'token')
    writeFileSync(tokenFile, API_TOKEN)
    const proxy = createServer((_, response) => {
      response.writeHead(400, { 'cache-control': 'no-store', 'content-length': 0, 'x-engine-instance': instance }).end()
    })
    proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    const proxyPort = await listen(t, proxy)
    const isDone = new AbortController()
    const busy = (async () => {
      while (!isDone.signal.aborted) await outcome(engine.icapPort as number, { http: get('http://news.example/') })
    })()
    const { stdout } = await gatewayctl([
      ...['proxy', 'doctor', '--json', '--proxy', `127.0.0.1:${proxyPort}`, '--token-file', tokenFile],
      ...['--engine', `https://127.0.0.1:${engine.port}`, '--ca-file', join(engine.folder, 'ca', 'ca.crt')],
    ])
    isDone.abort()
    await busy
    const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string; detail: string }[] }
    const { state, detail } = findings.find(({ check }) => check === 'this-engine') ?? assert.fail(stdout)
    return `${state}: ${detail}`
  }
  test('an engine that only other proxies use', async (t) => {
    assert.match(await examine(t, 'another'), /^failing: it is not https:\/\/127\.0\.0\.1:\d+$/)
  })
  test('control: the engine that the proxy uses', async (t) => {
    assert.match(await examine(t), /^ok: https:\/\/127\.0\.0\.1:\d+ decides; /)
  })
})
