// What is written about visitors: nothing, unless the operator asks for it, and then no page's address.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const names = ['news.example']
const SECRET = 'zqsecret'

for (const user of [54_323, 0]) {
  test(`the access log, run by user ${user}`, { skip: skipWithoutGateway, timeout: 60_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-log-'))
    chmodSync(folder, 0o777)
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'access.log')
    const gateway = await startGateway(t, { sites: { names }, settings: { PROXY_ACCESS_LOG: file }, user })
    for (const scheme of ['http', 'https']) {
      const sent = { headers: { cookie: SECRET, referer: `https://a.example/${SECRET}` } }
      assert.equal((await gateway.request(`${scheme}://news.example/${SECRET}?${SECRET}`, sent)).status, 200)
    }
    await gateway.request(`http://127.0.0.1/${SECRET}?${SECRET}`)
    // Written line by line. Without those of connections that only show whether the proxy listens.
    const written = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    const read = () =>
      written()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .filter(({ status }) => status !== 0)
    await until(() => read().length === 4).catch(() => assert.fail(written()))
    const lines = read()
    assert.deepEqual(
      lines.map(({ client, user, method, scheme, host, port, status }) => [
        client,
        user,
        method,
        scheme,
        host,
        port,
        status,
      ]),
      [
        ['127.0.0.1', '-', 'GET', 'http', 'news.example', '80', 200],
        ['127.0.0.1', '-', 'CONNECT', '-', 'news.example', '443', 200],
        ['127.0.0.1', '-', 'GET', 'https', 'news.example', '443', 200],
        ['127.0.0.1', '-', 'GET', 'http', '127.0.0.1', '80', 403],
      ],
    )
    assert.deepEqual(
      lines.map(({ error }) => error),
      ['-/-', '-/-', '-/-', 'ERR_ACCESS_DENIED/-'],
    )
    assert.ok(!readFileSync(file, 'utf8').includes(SECRET))
    assert.ok(!gateway.log().includes(SECRET))
    assert.match(gateway.log(), /^proxy: listening on 127\.0\.0\.1:\d+$/m)
  })
}
