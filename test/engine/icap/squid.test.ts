// Squid asks the listener: what is allowed reaches the origin, what is stopped never does, and without an engine nothing goes
// through.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { refusalPage } from '../../../src/engine/icap/refusal-page.ts'
import { echo } from '../../proxy/sites.ts'
import { freePort } from '../../support/free-port.ts'
import { listen } from '../../support/listen.ts'
import { hasCommand, skipUnless } from '../../support/requirement.ts'
import { accepts, serverOf } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { REDIRECT } from './in-memory.ts'
import { TOKEN } from './messages.ts'
import { startIcap } from './running-icap.ts'

const skip = skipUnless(hasCommand('squid'), 'needs Squid: apt-get install squid-openssl')

interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function start(t: TestContext, icapOptions = '') {
  const icap = await startIcap(t)
  const originPort = await listen(t, createServer(echo))
  const folder = temporaryFolder(t)
  await chmod(folder, 0o777)
  const port = await freePort()
  const configuration = `http_port 127.0.0.1:${port}
http_access allow all
cache deny all
access_log none
cache_log ${folder}/cache.log
pid_filename ${folder}/pid
coredump_dir ${folder}
netdb_filename none
pinger_enable off
client_request_buffer_max_size 64 MB
shutdown_lifetime 0 seconds
visible_hostname localhost
icap_enable on
icap_send_client_ip on
icap_service_failure_limit -1
icap_io_timeout 10 seconds
adaptation_meta X-Engine-Token ${TOKEN}
${icapOptions}
icap_service engine reqmod_precache icap://127.0.0.1:${icap.port}/reqmod bypass=off
adaptation_access engine allow all
`
  await writeFile(join(folder, 'squid.conf'), configuration)
  const squid = spawn('squid', ['-N', '-n', `icap${process.pid}x${port}`, '-f', join(folder, 'squid.conf')], {
    ...(process.geteuid?.() === 0 && { uid: 54_323, gid: 54_321 }),
    stdio: 'ignore',
    detached: true,
  })
  const server = serverOf(squid, port)
  t.after(() => server.stop())
  await until(() => accepts(port))

  /** Over Squid; its host resolves, its name alone decides. */
  function send(host: string, method = 'GET', body?: Buffer): Promise<Received> {
    return new Promise((resolve, reject) => {
      const path = `http://${host}:${originPort}/page?a=b`
      const headers = { host: `${host}:${originPort}`, ...(body && { 'content-length': body.length }) }
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, body: Buffer.concat(chunks).toString() })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
  return { send, icap }
}

/** The engine of the test stops the first of these names, and refuses requests for the second. */
const STOPPED = 'casino.example'
const REFUSED = 'ambiguous.example'
const ALLOWED = '127.0.0.1'

for (const [name, options] of [
  ['with previews', ''],
  ['without previews', 'icap_preview_enable off'],
] as const) {
  test(`allowed, stopped and refused requests, ${name}`, { skip, timeout: 60_000 }, async (t) => {
    const { send } = await start(t, options)
    const page = Buffer.from(refusalPage('ambiguous path'), 'latin1').toString()
    const large = Buffer.alloc(3_000_000, 'x')
    assert.equal((await send(ALLOWED)).body, 'GET /page?a=b 0')
    assert.equal((await send(ALLOWED, 'POST', Buffer.from('abc'))).body, 'POST /page?a=b 3')
    // Without a preview and without Allow: 204, so that it is repeated.
    assert.equal((await send(ALLOWED, 'POST', large)).body, 'POST /page?a=b 3000000')
    for (const [method, body, status] of [
      ['GET', undefined, 302],
      ['HEAD', undefined, 302],
      ['OPTIONS', undefined, 303],
      ['POST', Buffer.from('abc'), 303],
      ['POST', large, 303],
    ] as const) {
      const stopped = await send(STOPPED, method, body)
      assert.deepEqual([stopped.status, stopped.headers.location], [status, REDIRECT], method)
      assert.equal(stopped.headers['cache-control'], 'no-store')
      const { headers, ...refused } = await send(REFUSED, method, body)
      assert.deepEqual(refused, { status: 400, body: method === 'HEAD' ? '' : page }, method)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['content-length'], String(Buffer.byteLength(page)))
    }
    const hosts = Array.from({ length: 200 }, (_, index) => (index % 3 === 0 ? STOPPED : ALLOWED))
    const received = await Promise.all(hosts.map((host) => send(host)))
    assert.deepEqual(
      received.map(({ status }) => status),
      hosts.map((host) => (host === STOPPED ? 302 : 200)),
    )
  })
}

test('without an engine nothing goes through', { skip, timeout: 60_000 }, async (t) => {
  const { send, icap } = await start(t)
  assert.equal((await send(ALLOWED)).status, 200)
  await icap.stop()
  assert.equal((await send(ALLOWED)).status, 500)
  assert.equal((await send(STOPPED)).status, 500)
  await startIcap(t, { port: icap.port })
  assert.equal((await send(ALLOWED)).status, 200)
})
