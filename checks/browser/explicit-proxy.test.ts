// Behind an explicit proxy, a browser that also uses the proxy for the portal cannot show its pages; with the PAC file
// it can. Like a gateway that redirects a tunnel, the proxy sends a plain response where the browser expects TLS.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { parseHostAndPort } from '../../src/network/host-and-port.ts'
import { pacFile } from '../../src/network/pac-file.ts'
import { policy } from '../../test/engine/running-engine.ts'
import { launchChromium } from '../../test/support/browser.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'
import { skipWithoutNginx } from '../../test/support/terminator.ts'
import { startChain } from '../../test/terminator/chain.ts'

const RULE = '[[rules]]\nname = "news"\nmatch = ["news.example"]\naction = "block"'

describe('a browser behind an explicit proxy', { skip: skipWithoutNginx }, async () => {
  const chain = await startChain({ after }, policy(RULE))
  const { httpsPort } = chain.terminator
  const origin = `https://portal.example:${httpsPort}`
  const redirect = `HTTP/1.1 302 Found\r\nLocation: ${origin}/blocked?p=\r\nContent-Length: 0\r\n\r\n`
  const asked: string[] = []
  const proxy: Server = createServer(async (request, response) => {
    asked.push(String(request.url))
    const { json } = await chain.engine.decide(String(request.url))
    // The engine's base URL has no port.
    const location = String(json.redirect).replace('https://portal.example', origin)
    response.writeHead(json.verdict === 'block' ? 302 : 404, { location, 'cache-control': 'no-store' }).end()
  })
  proxy.on('connect', (request, socket) => {
    asked.push(`tunnel to ${request.url}`)
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.once('data', () => socket.end(redirect))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  after(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`

  /** @returns the proxy's requests since the last call, without the browser's background requests */
  const askedFor = () => asked.splice(0).filter((target) => target.includes('.example'))

  async function open(t: TestContext, ...args: string[]) {
    const resolving = '--host-resolver-rules=MAP *.example 127.0.0.1'
    const browser = await launchChromium([resolving, ...args])
    t.after(() => browser.close())
    // Trust in the CA is not tested here.
    return await browser.newPage({ ignoreHTTPSErrors: true })
  }

  test('without a bypass: a TLS error, because the record is too long', { skip: skipWithoutChromium }, async (t) => {
    const page = await open(t, `--proxy-server=${address}`)
    await assert.rejects(page.goto('http://news.example/today'), /ERR_SSL_PROTOCOL_ERROR/)
    assert.deepEqual(askedFor().slice(0, 2), ['http://news.example/today', `tunnel to portal.example:${httpsPort}`])
    const curl = promisify(execFile)('curl', ['--silent', '--show-error', '--proxy', `http://${address}`, origin])
    await assert.rejects(curl, /wrong version number|record/)
    askedFor()
  })

  test('with the PAC file: the portal’s page', { skip: skipWithoutChromium }, async (t) => {
    const pac = pacFile(parseHostAndPort(address) ?? assert.fail(), ['portal.example'])
    const encoded = Buffer.from(pac).toString('base64')
    const page = await open(t, `--proxy-pac-url=data:application/x-ns-proxy-autoconfig;base64,${encoded}`)
    await page.goto('http://news.example/today')
    assert.equal(new URL(page.url()).origin, origin)
    assert.equal(await page.title(), 'Page blocked – Gateway Captive Portal')
    assert.deepEqual(askedFor(), ['http://news.example/today'])
  })
})
