// Prometheus metrics that are built at each scrape from plain numbers, so that counting costs almost nothing.
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Histogram } from './histogram.ts'

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

type Labels = Readonly<Record<string, string>>

export interface MetricValue {
  readonly labels: Labels
  readonly value: number
  /** A histogram's `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string
}

export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: () => readonly MetricValue[] | Promise<readonly MetricValue[]>
}

/** Returns a function that renders these families and those of the process (`process_*`, `nodejs_*`) as text. */
export function createRenderer(families: readonly MetricFamily[]): () => Promise<string> {
  const registry = new Registry()
  for (const family of families) register(registry, family)
  collectDefaultMetrics({ register: registry })
  return () => registry.metrics()
}

export function sample(value: number, labels: Labels = {}): MetricValue {
  return { value, labels }
}

/** A value for each name. */
export function samplesBy(counts: Readonly<Record<string, number>>, label: string): readonly MetricValue[] {
  return Object.entries(counts).map(([name, count]) => sample(count, { [label]: name }))
}

export function histogram(
  name: string,
  { bounds, counts, sum }: Histogram,
  labels: Labels = {},
): readonly MetricValue[] {
  let count = 0
  const buckets = counts.map((more, bucket) => {
    count += more
    return { metricName: `${name}_bucket`, value: count, labels: { ...labels, le: String(bounds[bucket] ?? '+Inf') } }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, value: sum, labels },
    { metricName: `${name}_count`, value: count, labels },
  ]
}

/** A registry of prom-client needs only a description and `get` of a metric. */
function register(registry: Registry, { name, help, type, values }: MetricFamily): void {
  const described = { name, help, type, aggregator: 'sum' }
  const metric = { ...described, get: async () => ({ ...described, values: await values() }) }
  registry.registerMetric(metric as unknown as Metric)
}
