// Seen: an address of 9,000 characters, or 70 KB of cookies, got Squid's own page, in English, which names other causes ("missing URL",
// "access restrictions"). A host with a label of 64 characters got nothing: Squid waited for its address forever. Since there is a
// proxy. What the table of our pages named was not affected.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { skipWithoutGateway, startGateway } from '../proxy/proxy.ts'
import { makeCertificate } from '../support/certificates.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const LANGUAGES = ['en', 'fr', 'de', 'it']

describe('pages of Squid’s errors', { skip: skipWithoutGateway, timeout: 60_000 }, async () => {
  const gateway = await startGateway(
    { after },
    {
      sites: {
        names: ['news.example', 'headers.example', 'card.example', 'exempt-card.example'],
        handlers: {
          'headers.example': (_, response) => response.writeHead(200, { 'x-long': 'a'.repeat(100_000) }).end(),
        },
      },
      published: { 'exempt-hosts': 'exempt-card.example\n' },
      settings: { PROXY_CONNECT_PORTS: '8442 8443' },
    },
  )
  for (const [port, maxVersion] of [
    [8442, 'TLSv1.2'],
    [8443, 'TLSv1.3'],
  ] as const) {
    const { certificate: cert, key } = gateway.sites.leaf
    const trusted = { ca: gateway.sites.ca.certificate, requestCert: true, maxVersion }
    const server = createServer({ cert, key, ...trusted }, (_, response) => response.end('signed in'))
    server.listen(await gateway.sites.listen(port))
    after(() => server.close())
  }

  const languagesOf = (page: string) => Array.from(page.matchAll(/<section lang="(..)">/g), ([, language]) => language)

  /** @returns the status, the English heading and the languages of the response to these bytes */
  async function shown(
    head: string,
  ): Promise<readonly [status: number, heading: string, languages: readonly unknown[]]> {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.setTimeout(10_000, () => socket.destroy(new Error('no response')))
    socket.on('error', () => {})
    socket.write(`${head}Connection: close\r\n\r\n`)
    const page = await text(socket)
    return [Number(page.split(' ')[1]), /<h1>(.*)<\/h1>/.exec(page)?.[1] ?? '', languagesOf(page)]
  }
  const get = (target: string, fields = '') => `GET ${target} HTTP/1.1\r\nHost: ${new URL(target).host}\r\n${fields}`
  const page = `http://news.example/`

  for (const [name, head, status, heading] of [
    ['an address that is too long', get(`${page}${'a'.repeat(8_200)}`), 400, 'The gateway can’t open this address'],
    ['one that is far too long', get(`${page}${'a'.repeat(80_000)}`), 414, 'The gateway can’t load this page'],
    ['too many cookies', get(page, `Cookie: ${'a'.repeat(70_000)}\r\n`), 431, 'The gateway can’t load this page'],
    ['a response with too many headers', get('http://headers.example/'), 502, 'The gateway can’t load this page'],
    [
      'a port that does not exist',
      'GET http://news.example:0/ HTTP/1.1\r\nHost: news.example\r\n',
      400,
      'The gateway can’t open this address',
    ],
    ['a label that is too long', get(`http://${'a'.repeat(64)}.example/`), 400, 'The gateway can’t open this address'],
    ['a name that is too long', get(`http://${'a.'.repeat(130)}example/`), 400, 'The gateway can’t open this address'],
    ['another version', `GET ${page} HTTP/2.0\r\n`, 505, 'The gateway doesn’t understand this request'],
    ['what is no HTTP', 'SSH-2.0-client\r\n', 400, 'The gateway doesn’t understand this request'],
    [
      'an encoding that Squid does not support',
      `POST ${page} HTTP/1.1\r\nHost: news.example\r\nTransfer-Encoding: gzip\r\n`,
      501,
      'The gateway doesn’t understand this request',
    ],
    ['a stored copy only', get(page, 'Cache-Control: only-if-cached\r\n'), 504, 'The gateway keeps no copies'],
    ['control: an inner address', get('http://127.0.0.1/'), 403, 'The gateway doesn’t open this address'],
  ] as const) {
    test(name, async () => {
      assert.deepEqual(await shown(head), [status, heading, LANGUAGES])
    })
  }

  test('a site that requires a certificate from the device: the page says so, and exempt it opens', async () => {
    const { ca } = gateway.sites
    const now = Math.floor(Date.now() / 1000)
    const extensions = ['basicConstraints=CA:FALSE', 'extendedKeyUsage=clientAuth']
    const validity = { notBefore: now - 60, notAfter: now + 3600 }
    const card = makeCertificate({ ...validity, subject: '/CN=alice', issuer: ca, extensions })
    for (const port of [8442, 8443]) {
      const { status, body } = await gateway.request(`https://card.example:${port}/`)
      assert.ok([502, 503].includes(status))
      assert.match(body, /a certificate from your device/)
      assert.match(body, /ein Zertifikat Ihres Geräts/)
      const { status: connected, socket } = await gateway.connect(`exempt-card.example:${port}`)
      assert.equal(connected, 200)
      const own = { cert: card.certificate, key: card.key, ca: ca.certificate }
      const tls = connectTls({ socket, servername: 'exempt-card.example', ...own })
      tls.write('GET / HTTP/1.1\r\nHost: exempt-card.example\r\nConnection: close\r\n\r\n')
      assert.match(await text(tls), /signed in/)
    }
  })

  test('no page of Squid’s is left', () => {
    const folder = join(gateway.run, 'errors')
    const names = readdirSync(folder).filter((name) => name.startsWith('ERR_'))
    assert.ok(names.length > 30)
    for (const name of names) assert.deepEqual(languagesOf(readFileSync(join(folder, name), 'utf8')), LANGUAGES, name)
  })

  test('control: an address of 8,000 characters is opened', async () => {
    assert.equal((await gateway.request(`${page}${'a'.repeat(8_000 - page.length)}`)).status, 200)
    assert.equal((await gateway.request(`http://${'a'.repeat(63)}.example/`)).status, 503)
  })
})
