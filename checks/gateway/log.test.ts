// What is written about visitors: nothing, unless the operator asks for it, and then no page's address.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const SECRET = 'zqsecret'

test('the access log, of a proxy that root starts', { skip: skipWithoutGateway, timeout: 60_000 }, async (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o777)
  const file = join(folder, 'access.log')
  const gateway = await startGateway(t, {
    sites: { names: ['news.example'] },
    settings: { PROXY_ACCESS_LOG: file },
    user: 0,
  })
  for (const scheme of ['http', 'https']) {
    const sent = { headers: { cookie: SECRET, referer: `https://a.example/${SECRET}` } }
    assert.equal((await gateway.request(`${scheme}://news.example/${SECRET}?${SECRET}`, sent)).status, 200)
  }
  await gateway.request(`http://127.0.0.1/${SECRET}?${SECRET}`)
  const written = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  // Without those of connections that only show whether the proxy listens.
  const lines = () =>
    written()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .filter(({ status }) => status !== 0)
      .map(({ client, user, method, scheme, host, port, status, error }) =>
        [client, user, method, scheme, host, port, status, error].join(' '),
      )
  await until(() => lines().length === 4).catch(() => assert.fail(written()))
  assert.deepEqual(lines(), [
    '127.0.0.1 - GET http news.example 80 200 -/-',
    '127.0.0.1 - CONNECT - news.example 443 200 -/-',
    '127.0.0.1 - GET https news.example 443 200 -/-',
    '127.0.0.1 - GET http 127.0.0.1 80 403 ERR_ACCESS_DENIED/-',
  ])
  assert.ok(!written().includes(SECRET))
  assert.ok(!gateway.log().includes(SECRET))
})
