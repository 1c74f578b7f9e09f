// OpenTelemetry traces: one span per request, with the steps of an acknowledgement as child spans. Loaded only when a
// collector is configured. Spans contain less than log lines: no payload, code, destination or address. No trace context is
// sent to the engine, because the protocol defines that request.
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import { outcomeOf } from '../event.ts'
import type { EndedRequest } from '../http/server.ts'
import type { Config } from '../settings/config.ts'

/** @param route one of the portal's, or one name for all others */
export type TraceRequest = (ended: EndedRequest, route: string) => void

export interface Tracing {
  readonly traceRequest: TraceRequest
  /** Sends the remaining spans; waits for up to two seconds. */
  close(): Promise<void>
}

const SHUTDOWN_MILLISECONDS = 2_000

export function startTracing(
  url: URL,
  { tracing, release }: Pick<Config, 'tracing' | 'release'>,
  log: Logger,
): Tracing {
  const exporter = new OTLPTraceExporter({ url: url.href, headers: { ...tracing.headers } })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'gateway-captive-portal',
      'service.version': release.label,
      'process.pid': process.pid,
    }),
    spanProcessors: [new BatchSpanProcessor(loggingFailures(exporter, log))],
  })
  const tracer = provider.getTracer('portal')
  return {
    traceRequest: (ended, route) => traceRequest(tracer, ended, route),
    async close() {
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, SHUTDOWN_MILLISECONDS)
      await Promise.race([provider.shutdown().catch(() => {}), timeout.promise])
      clearTimeout(timer)
    },
  }
}

function traceRequest(tracer: Tracer, ended: EndedRequest, route: string): void {
  const { exchange, event, status, endedAt } = ended
  const startTime = performance.timeOrigin + exchange.receivedAt
  const span = tracer.startSpan(`${exchange.method} ${route}`, { kind: SpanKind.SERVER, startTime }, ROOT_CONTEXT)
  if (!span.isRecording()) return
  span.setAttributes(attributesOf(ended, route))
  const times = 'times' in event ? event.times : undefined
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  if (times !== undefined) {
    const parent = trace.setSpan(ROOT_CONTEXT, span)
    for (const [step, time] of Object.entries(times)) {
      if (time === undefined) continue
      const [from, to] = time
      const startTime = performance.timeOrigin + from
      tracer.startSpan(step, { kind: SpanKind.CLIENT, startTime }, parent).end(performance.timeOrigin + to)
    }
  }
  span.end(performance.timeOrigin + endedAt)
}

function attributesOf({ exchange, event, status }: EndedRequest, route: string): Attributes {
  const { verdict } = event
  return {
    'http.request.method': exchange.method,
    'http.route': route,
    'http.response.status_code': status,
    'portal.event': event.name,
    'portal.reference': verdict?.reference,
    'portal.kind': verdict?.kind,
    'portal.rule': verdict?.ruleName,
    'portal.refusal': 'refusal' in event ? event.refusal : undefined,
    'portal.outcome': outcomeOf(event),
  }
}

/** Logs one line when exports start to fail, and one when they succeed again. */
function loggingFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const fails = result.error !== undefined
        if (fails && !isFailing)
          log.warn({ reason: String(result.error?.message).slice(0, 200) }, 'traces cannot be exported')
        else if (!fails && isFailing) log.info('traces are exported again')
        isFailing = fails
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}
