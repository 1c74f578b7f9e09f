// What the proxy does alone: SafeSearch, YouTube's restricted mode, and headers that restrict tenants.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import type { Handler } from '../../test/proxy/sites.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const SEARCH = {
  'www.google.com': 'forcesafesearch.google.com',
  'www.google.ch': 'forcesafesearch.google.com',
  'www.google.co.uk': 'forcesafesearch.google.com',
  'www.google.com.au': 'forcesafesearch.google.com',
  'www.bing.com': 'strict.bing.com',
  'search.brave.com': 'forcesafe.search.brave.com',
  'pixabay.com': 'safesearch.pixabay.com',
  'www.pixabay.com': 'safesearch.pixabay.com',
}
/** At an address that Yandex names. */
const YANDEX = '213.180.193.56'
const YANDEX_NAMES = ['yandex.ru', 'www.yandex.ru', 'ya.ru', 'yandex.com', 'yandex.com.tr', 'yandex.kz']
const TENANTS = `login.example Restrict-Access-To-Tenants one.example,100%.example
login.example Restrict-Access-Context 72f988bf-86f1
.apps.example X-GoogApps-Allowed-Domains school.example
`

describe('content', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const gateway = await startGateway(
    { after },
    {
      sites: {
        names: [
          ...Object.keys(SEARCH),
          ...Object.values(SEARCH),
          ...['duckduckgo.com', 'www.youtube.com', 'news.example', 'login.example', 'mail.apps.example'],
          ...['mail.google.com', 'api.pixabay.com'],
          ...YANDEX_NAMES,
        ],
      },
      published: { safesearch: 'on\n', youtube: 'moderate\n', tenants: TENANTS },
    },
  )
  const { request, sites } = gateway
  const headersAt = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
    JSON.parse((await request(`${url}/?headers`, { headers })).body)

  test('search engines: only their strict version is reached', async () => {
    // An address at which nobody answers: what arrives went to the strict version's.
    for (const name of Object.keys(SEARCH)) sites.resolve(name, '198.51.100.1')
    for (const name of Object.keys(SEARCH)) {
      for (const scheme of ['https', 'http']) {
        const { host } = await headersAt(`${scheme}://${name}`)
        assert.equal(host, name)
        assert.equal((await request(`${scheme}://${name}/`, { method: 'POST', body: 'abc' })).body, 'POST / 3')
      }
    }
    for (const name of ['mail.google.com', 'api.pixabay.com']) {
      assert.equal((await headersAt(`https://${name}`)).host, name)
    }
  })

  test('Yandex is reached at the address of its strict version', async (t) => {
    const ip = (...words: readonly string[]) => execFileSync('ip', words, { timeout: 10_000 })
    ip('-n', sites.namespace, 'address', 'add', `${YANDEX}/32`, 'dev', 'lo')
    ip('route', 'add', `${YANDEX}/32`, 'via', sites.address)
    const reached: string[] = []
    const handle: Handler = ({ headers }, response) => {
      reached.push(`${headers.host}`)
      response.end()
    }
    const { certificate: cert, key } = sites.leaf
    for (const [port, server] of [
      [80, createHttpServer(handle)],
      [443, createHttpsServer({ cert, key }, handle)],
    ] as const) {
      const socket = await sites.listen(port, YANDEX)
      server.listen(socket)
      await once(server, 'listening')
      t.after(() => {
        server.closeAllConnections()
        server.close()
        socket.close()
      })
    }
    // The process that opened the sockets may still be there, and accept the first connections.
    for (const name of YANDEX_NAMES) {
      for (const scheme of ['https', 'http']) {
        await until(async () => (await request(`${scheme}://${name}/`)).status === 200, 20, 200)
        assert.equal(reached.pop(), name)
      }
    }
  })

  test('without its strict version there is no search', async () => {
    // safe.duckduckgo.com does not exist here.
    for (const scheme of ['http', 'https']) {
      const { status } = await request(`${scheme}://duckduckgo.com/`)
      assert.ok([500, 502, 503].includes(status), `${status}`)
    }
    assert.ok(!sites.received.some(({ host }) => host === 'duckduckgo.com'))
  })

  test('YouTube’s restricted mode, whatever the visitor sends', async () => {
    for (const scheme of ['http', 'https']) {
      for (const sent of [{}, { 'YouTube-Restrict': 'None' }]) {
        assert.equal((await headersAt(`${scheme}://www.youtube.com`, sent))['youtube-restrict'], 'Moderate')
      }
      assert.equal((await headersAt(`${scheme}://news.example`))['youtube-restrict'], undefined)
    }
  })

  test('tenants, whatever the visitor sends', async () => {
    const sent = { 'Restrict-Access-To-Tenants': 'other.example', 'X-GoogApps-Allowed-Domains': 'other.example' }
    const login = await headersAt('https://login.example', sent)
    assert.equal(login['restrict-access-to-tenants'], 'one.example,100%.example')
    assert.equal(login['restrict-access-context'], '72f988bf-86f1')
    assert.equal((await headersAt('https://mail.apps.example', sent))['x-googapps-allowed-domains'], 'school.example')
    assert.equal((await headersAt('https://news.example'))['restrict-access-to-tenants'], undefined)
  })
})
