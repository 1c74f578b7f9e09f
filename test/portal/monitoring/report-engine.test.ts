// What the portal logs about its engine at the start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveKeyring } from '../../../src/contract/secret.ts'
import { reportEngine } from '../../../src/portal/monitoring/report-engine.ts'
import { freePort } from '../../support/free-port.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { SECRET } from '../../support/payloads.ts'
import { startPortalProcess } from '../../support/portal-process.ts'
import { until } from '../../support/until.ts'

const KEY = deriveKeyring([SECRET]).sealing.kid

type Health = Awaited<ReturnType<Parameters<typeof reportEngine>[0]['readEngineHealth']>>

async function reported(healths: readonly Health[]) {
  const lines: string[] = []
  const write = (level: string) => (first: unknown, second?: string) =>
    void lines.push(`${level} ${second ?? first}${second === undefined ? '' : ` ${JSON.stringify(first)}`}`)
  const log = { info: write('info'), warn: write('warn'), error: write('error') } as never
  const remaining = [...healths]
  const readEngineHealth = async () => remaining.shift() ?? assert.fail('asked too often')
  await reportEngine({ readEngineHealth, keyIds: [KEY], log, retryMilliseconds: 1 })
  assert.equal(remaining.length, 0)
  return lines
}

test('nothing, where the engine responds and has the same secret, or does not report it', async () => {
  assert.deepEqual(await reported([{ keyId: KEY }]), [])
  assert.deepEqual(await reported([{ keyId: undefined }]), [])
})

test('an engine that starts later: one warning, and when it is reachable', async () => {
  const [warning, reachable, ...more] = await reported([
    { reason: 'ECONNREFUSED' },
    { reason: 'other' },
    { keyId: KEY },
  ])
  assert.match(`${warning}`, /^warn the engine is not reachable yet: .* \{"reason":"ECONNREFUSED"\}$/)
  assert.deepEqual([reachable, more], ['info the engine is reachable', []])
})

test('another secret: an error with both key ids, also of an engine that starts later', async () => {
  for (const before of [[], [{ reason: 'ECONNREFUSED' }]]) {
    const error = (await reported([...before, { keyId: 'AAAAAAAA' }])).at(-1)
    assert.match(`${error}`, new RegExp(`^error .*AAAAAAAA.*${KEY}.*GATEWAY_CAPTIVE_SHARED_SECRET`))
  }
})

test('the process logs both, and serves pages all the same', async (t) => {
  const env = { ENGINE_INTERNAL_URL: `http://127.0.0.1:${await freePort()}` }
  const portal = startPortalProcess(t, env)
  const address = await portal.listening
  const line = await until(() => portal.lines.find((line) => line.includes('the engine is not reachable')))
  const { level, reason } = JSON.parse(line)
  assert.equal(level, 40)
  assert.match(reason, /^ECONNREFUSED/)
  assert.equal((await fetch(`${address}/healthz`)).status, 200)

  const engine = await startHostileEngine(t, respondWith(rawResponse('200 OK', [], '{"status":"ok","kid":"AAAAAAAA"}')))
  const other = startPortalProcess(t, { ENGINE_INTERNAL_URL: engine.url })
  const mismatch = await until(() => other.lines.find((line) => line.includes('AAAAAAAA')))
  assert.equal(JSON.parse(mismatch).level, 50)
})
