// The collector for traces, with OpenTelemetry's variable names.
import { section } from '../../settings/section.ts'
import { parsed } from '../../settings/shapes.ts'

interface TracingSettings {
  readonly tracing: {
    /** Undefined when tracing is off. */
    readonly url: URL | undefined
    readonly headers: Readonly<Record<string, string>>
  }
}

export const tracing = section(
  'Traces',
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      purpose: 'Collector of [traces](observability.md#traces), by OTLP over HTTP; `/v1/traces` is added.',
      shape: parsed('an http or https URL without a password, query or fragment', (text) => {
        const url = /^https?:\/\/[^/\\?#@\s][^\\?#@\s]*$/i.test(text) ? URL.parse(text) : null
        return url === null ? undefined : url
      }),
    },
    OTEL_EXPORTER_OTLP_HEADERS: {
      purpose: 'Headers for the collector, such as a token.',
      shape: parsed('name=value, separated by commas, values percent-encoded', parseHeaders),
      secret: true,
    },
  },
  (values): TracingSettings => {
    const base = values.OTEL_EXPORTER_OTLP_ENDPOINT
    const tracesUrl = base && new URL(`${base.href.replace(/\/$/, '')}/v1/traces`)
    return { tracing: { url: tracesUrl, headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {} } }
  },
)

function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const headers: [string, string][] = []
  for (const item of text.split(',')) {
    const [, name, value] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(item) ?? []
    if (name === undefined || value === undefined) return undefined
    try {
      const decoded = decodeURIComponent(value)
      if (!/^[\x20-\x7e]*$/.test(decoded)) return undefined
      headers.push([name, decoded])
    } catch {
      return undefined
    }
  }
  return Object.fromEntries(headers)
}
