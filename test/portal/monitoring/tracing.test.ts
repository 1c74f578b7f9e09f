// Traces, received by a small OTLP collector: their content, what they never contain, and no tracing without a collector.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { startTracing } from '../../../src/portal/monitoring/tracing.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { startPortalProcess } from '../../support/portal-process.ts'
import { until } from '../../support/until.ts'
import { acknowledgement, PASSPHRASE } from '../acknowledgement/relay.ts'
import { exchange } from '../exchange.ts'

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string }
}

interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[]
  }[]
}

/** A collector that accepts everything, or responds with another status. */
async function startCollector(t: TestContext) {
  const requests: { readonly url: string | undefined; readonly token: unknown; readonly batch: Batch }[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    requests.push({ url: request.url, token: request.headers.token, batch: (await json(request)) as Batch })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`),
    requests,
    spans: () =>
      requests.flatMap(({ batch }) =>
        batch.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    answerWith(next: number) {
      status = next
    },
  }
}

function attributesOf({ attributes }: { readonly attributes: readonly Attribute[] }) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))
}

const release = { version: '1', type: 'IR', label: '1-IR' }
const quiet = pino({ enabled: false })

async function startTraced(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const collector = await startCollector(t)
  const tracing = { url: collector.url, headers: { token: 'zqtoken' } }
  const { traceRequest, close } = startTracing(collector.url, { tracing, release }, quiet)
  const portal = await startPortal(t, { env, traceRequest })
  return { collector, portal, close }
}

test('a span per request, with its route, verdict and end', async (t) => {
  const { collector, portal, close } = await startTraced(t)
  const sealed = claims(NOW, { kind: 'warn' })
  await exchange(portal, verdictTarget(sealed))
  await exchange(portal, '/zqpath?zqquery')
  await exchange(portal, verdictTarget(claims(NOW, { rule_name: '' })))
  await close()
  const [request] = collector.requests
  assert.deepEqual([request?.url, request?.token], ['/v1/traces', 'zqtoken'])
  const resource = attributesOf(request?.batch.resourceSpans[0]?.resource ?? assert.fail())
  assert.deepEqual([resource['service.name'], resource['service.version']], ['gateway-captive-portal', release.label])
  const [shown, other, refused] = collector.spans()
  assert.ok(shown !== undefined && other !== undefined && refused !== undefined)
  assert.deepEqual([shown.name, shown.kind, shown.parentSpanId], ['GET /warned', 2, undefined])
  assert.deepEqual(attributesOf(shown), {
    'http.request.method': 'GET',
    'http.route': '/warned',
    'http.response.status_code': 200,
    'portal.event': 'verdict.shown',
    'portal.reference': sealed.jti,
    'portal.kind': 'warn',
    'portal.rule': 'rule-example',
  })
  const started = Number(BigInt(shown.startTimeUnixNano) / 1_000_000n)
  assert.ok(Math.abs(started - Date.now()) < 30_000 && shown.endTimeUnixNano >= shown.startTimeUnixNano)
  assert.equal(other.name, 'GET other')
  assert.equal(attributesOf(refused)['portal.refusal'], 'claim rule_name')
  assert.doesNotMatch(JSON.stringify(collector.spans()).replaceAll(sealed.jti, ''), /zq/)
})

test('an acknowledgement: its steps as child spans, no secrets, and an unchanged request to the engine', async (t) => {
  const engine = await startHostileEngine(
    t,
    respondWith(rawResponse('302 Found', ['Location: https://zqhost.example/zqpath'])),
  )
  const { collector, portal, close } = await startTraced(t, { ENGINE_INTERNAL_URL: engine.url })
  const untraced = await startPortal(t, { env: { ENGINE_INTERNAL_URL: engine.url } })
  const { target, reference, p } = acknowledgement({ ...PASSPHRASE, destination: 'https://zqhost.example/zqpath' })
  const headers = {
    'X-Override-Code': 'zqcode',
    Traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    Cookie: 'zq=zqcookie',
  }
  for (const from of [untraced, portal]) assert.equal((await exchange(from, target, headers)).status, 302)
  await close()
  const [asked, askedTraced] = engine.connections.map(({ received }) => received())
  assert.equal(askedTraced, asked)

  const spans = collector.spans()
  const request = spans.find(({ kind }) => kind === 2) ?? assert.fail()
  const steps = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId)
  assert.deepEqual(
    steps.map(({ name, kind }) => [name, kind]),
    ['record', 'engine', 'completion'].map((name) => [name, 3]),
  )
  const times = steps.flatMap(({ startTimeUnixNano, endTimeUnixNano }) => [startTimeUnixNano, endTimeUnixNano])
  const inOrder = [request.startTimeUnixNano, ...times, request.endTimeUnixNano].map(Number)
  assert.deepEqual(
    inOrder,
    inOrder.toSorted((a, b) => a - b),
  )
  assert.equal(attributesOf(request)['portal.reference'], reference)
  assert.equal(attributesOf(request)['portal.outcome'], 'redirect')
  // The client's trace id is not used.
  assert.notEqual(request.traceId, '0af7651916cd43dd8448eb211c80319c')
  assert.doesNotMatch(JSON.stringify(spans).replaceAll(reference, ''), /zq|203\.0/)
  assert.ok(!JSON.stringify(spans).includes(p.slice(-30)))
})

test('a failing engine is an error', async (t) => {
  const engine = await startHostileEngine(t, (socket) => socket.destroy())
  const { collector, portal, close } = await startTraced(t, { ENGINE_INTERNAL_URL: engine.url })
  await exchange(portal, acknowledgement({ kind: 'warn' }).target)
  await close()
  const request = collector.spans().find(({ kind }) => kind === 2)
  assert.equal(request?.status.code, 2)
})

test('an unreachable collector costs a log line, not a request', async (t) => {
  const collector = await startCollector(t)
  collector.answerWith(400)
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  const { traceRequest, close } = startTracing(
    collector.url,
    { tracing: { url: collector.url, headers: {} }, release },
    log,
  )
  const portal = await startPortal(t, { traceRequest })
  for (let batch = 0; batch < 2 * 512; batch++) await exchange(portal, '/healthz')
  await until(() => collector.requests.length >= 2)
  await close()
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"level":40.*traces cannot be exported/)
})

const LOADED = `process.on('exit', () => {
  const { cache } = process.getBuiltinModule('node:module').createRequire(process.cwd() + '/x.js')
  console.error(Object.keys(cache).filter((path) => path.includes('@opentelemetry')).length)
})`
const HOOK = `data:text/javascript,${encodeURIComponent(LOADED)}`

test('tracing is loaded only with a collector, and remaining spans are sent on shutdown', async (t) => {
  const collector = await startCollector(t)
  for (const endpoint of [undefined, collector.url.origin]) {
    const env = endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
    const portal = startPortalProcess(t, env, ['--import', HOOK])
    await fetch(`${await portal.listening}/healthz`)
    // SIGTERM would wait five seconds for requests that still come.
    portal.child.kill(endpoint === undefined ? 'SIGINT' : 'SIGTERM')
    assert.equal(await portal.ended, 0)
    const loaded = Number(portal.errors())
    assert.ok(endpoint === undefined ? loaded === 0 : loaded > 10, `${loaded} files`)
  }
  assert.deepEqual(
    collector.spans().map(({ name }) => name),
    ['GET /healthz'],
  )
})

test('OpenTelemetry’s variables set the sampling rate', async (t) => {
  const collector = await startCollector(t)
  for (const share of ['0', '1']) {
    const portal = startPortalProcess(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: share,
    })
    await fetch(`${await portal.listening}/healthz`)
    portal.child.kill('SIGINT')
    assert.equal(await portal.ended, 0)
    assert.equal(collector.spans().length, Number(share), share)
  }
})
