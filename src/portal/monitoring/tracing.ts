// Traces by OpenTelemetry: one span for each request that has ended, with the steps of an acknowledgement below it. It is
// loaded only when there is a collector, and takes from a request what its log line may say, and less: no payload, no
// code, no destination, no address. Nothing is sent on to the engine, whose request is the protocol's.
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { EndedRequest } from '../http/server.ts'
import { outcomeOf } from './request-event.ts'

/** @param route one of ours, or one name for all others */
export type TraceRequest = (ended: EndedRequest, route: string) => void

export interface Tracing {
  readonly traceRequest: TraceRequest
  /** Sends what is left; waits two seconds at most. */
  close(): Promise<void>
}

const PATIENCE_MILLISECONDS = 2_000

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
    spanProcessors: [new BatchSpanProcessor(sayingWhenItFails(exporter, log))],
  })
  const tracer = provider.getTracer('portal')
  return {
    traceRequest: (ended, route) => traceRequest(tracer, ended, route),
    async close() {
      const patience = Promise.withResolvers<void>()
      const timer = setTimeout(patience.resolve, PATIENCE_MILLISECONDS)
      await Promise.race([provider.shutdown().catch(() => {}), patience.promise])
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
    const below = trace.setSpan(ROOT_CONTEXT, span)
    for (const [step, time] of Object.entries(times)) {
      if (time === undefined) continue
      const [from, to] = time
      const startTime = performance.timeOrigin + from
      tracer.startSpan(step, { kind: SpanKind.CLIENT, startTime }, below).end(performance.timeOrigin + to)
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

/** One line when the collector cannot be reached, and one when it is there again. */
function sayingWhenItFails(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const fails = result.error !== undefined
        if (fails && !isFailing)
          log.warn({ reason: String(result.error?.message).slice(0, 200) }, 'traces are not taken')
        else if (!fails && isFailing) log.info('traces are taken again')
        isFailing = fails
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}
