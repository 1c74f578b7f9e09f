// Seen by reading: `gatewayctl proxy doctor` compared an engine's count of decisions before and after its own request, and reported
// "this-engine ok" for every engine that another proxy used meanwhile, although its own request went elsewhere. Since there is a
// doctor for the proxy. Idle engines were recognised.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { outcome } from '../engine/icap/icap-client.ts'
import { get, TOKEN } from '../engine/icap/messages.ts'
import { API_TOKEN, policy, type RunningEngine, startEngine } from '../engine/running-engine.ts'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ICAP = '[icap]\nlisten = "127.0.0.1:0"\ntoken_file = "icap-token"\n'

/** What the doctor says about this engine, while another proxy uses it, through a proxy whose engine has this instance. */
async function examine(t: TestContext, engine: RunningEngine, instance: string): Promise<readonly string[]> {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'token'), API_TOKEN)
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
    ...['proxy', 'doctor', '--json', '--proxy', `127.0.0.1:${proxyPort}`],
    ...['--engine', `https://127.0.0.1:${engine.port}`, '--token-file', join(folder, 'token')],
    ...['--ca-file', join(engine.folder, 'ca', 'ca.crt')],
  ])
  isDone.abort()
  await busy
  const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string; detail: string }[] }
  return findings.flatMap(({ check, state, detail }) => (check === 'this-engine' ? [state, detail] : []))
}

test('an engine that only other proxies use', async (t) => {
  const engine = await startEngine(t, policy(ICAP), { files: { 'icap-token': TOKEN } })
  assert.deepEqual(await examine(t, engine, 'another'), ['failing', `it is not https://127.0.0.1:${engine.port}`])
})

test('control: the engine that the proxy uses', async (t) => {
  const engine = await startEngine(t, policy(ICAP), { files: { 'icap-token': TOKEN } })
  const { instance } = (await engine.administer('status', {})).json
  const [state, detail = ''] = await examine(t, engine, String(instance))
  assert.equal(state, 'ok')
  assert.ok(detail.startsWith(`https://127.0.0.1:${engine.port} decides; `), detail)
})
