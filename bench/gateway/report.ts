// Formats what was measured of the proxies as Markdown.
import type { Run } from '../contenders.ts'
import { interval, mebibytes, milliseconds, percent, table } from '../format.ts'
import { estimateOf, median, quotients } from '../statistics.ts'
import { LOADS } from './loads.ts'
import { addedLatency, figuresOf, type GatewayResult, OURS, type ProxyResult } from './result.ts'

export function gatewayTables(result: GatewayResult): string {
  return [
    ...LOADS.flatMap(({ name, title }) => [`${title[0]?.toUpperCase()}${title.slice(1)}:\n`, loadTable(result, name)]),
    `Memory, and the list (${result.names.toLocaleString('en')} names):\n`,
    proxyTable(result),
  ].join('\n')
}

function loadTable(result: GatewayResult, load: (typeof LOADS)[number]['name']): string {
  const rows = result.proxies.flatMap(({ name, runs }) => {
    if (runs[load].length === 0) return []
    const middle = (figure: Parameters<typeof figuresOf>[3]) => median(figuresOf(result, name, load, figure))
    const ratio = estimateOf(quotients(figuresOf(result, OURS, load, 'rate'), figuresOf(result, name, load, 'rate')))
    return [
      [
        name,
        Math.round(middle('rate')).toLocaleString('en'),
        cpuOf(middle('cpu'), runs[load]),
        milliseconds(middle('p50')),
        milliseconds(middle('p99')),
        percent(middle('busy')),
        name === OURS ? '' : interval(ratio, percent),
      ],
    ]
  })
  const head = ['proxy', 'requests/s', 'CPU per request (Squid + ICAP server)', 'p50', 'p99', 'of its core']
  return table([...head, `${OURS} / this: median (95 % interval)`], rows)
}

/** Microseconds of all its processes, then those of Squid and of the ICAP server, where there are two. */
function cpuOf(all: number, runs: readonly Run[]): string {
  const servers = runs[0]?.cpuOfEach ?? []
  const ofEach = servers.map((_, server) => median(runs.map((run) => run.cpuOfEach[server] as number)).toFixed(0))
  return `${all.toFixed(0)} µs${ofEach.length > 1 ? ` (${ofEach.join(' + ')})` : ''}`
}

function proxyTable(result: GatewayResult): string {
  const rows = result.proxies.map(({ name, memory, changes }) => {
    const ofChanges = (figure: keyof ProxyResult['changes'][number]) => changes.map((change) => change[figure])
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
    const [requests, failed] = [sum(ofChanges('requests')), sum(ofChanges('failed'))]
    const cells =
      changes.length === 0
        ? ['', '', '']
        : [
            `${median(ofChanges('inForce')).toFixed(0)} ms`,
            `${failed.toLocaleString('en')} of ${requests.toLocaleString('en')}`,
            milliseconds(Math.max(...ofChanges('longest'))),
          ]
    const added = interval(estimateOf(addedLatency(result, name)), milliseconds)
    return [name, added, mebibytes(median(memory)), ...cells]
  })
  const head = ['proxy', "added to Squid's p50, one connection", 'memory (PSS)', 'new name stopped after']
  return table([...head, 'failed meanwhile', 'longest response meanwhile'], rows)
}
