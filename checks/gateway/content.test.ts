// What the proxy does alone: SafeSearch, YouTube's restricted mode, and headers that restrict tenants.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const SEARCH = {
  'www.google.com': 'forcesafesearch.google.com',
  'www.google.ch': 'forcesafesearch.google.com',
  'www.google.co.uk': 'forcesafesearch.google.com',
  'www.google.com.au': 'forcesafesearch.google.com',
  'www.bing.com': 'strict.bing.com',
}
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
          ...[
            'duckduckgo.com',
            'www.youtube.com',
            'news.example',
            'login.example',
            'mail.apps.example',
            'mail.google.com',
          ],
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
    assert.equal((await headersAt('https://mail.google.com')).host, 'mail.google.com')
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
