// Formats what was measured of the proxies as Markdown.
import type { Run } from '../contenders.ts'
import { count, interval, mebibytes, milliseconds, percent, table } from '../format.ts'
import { estimateOf, median } from '../statistics.ts'
import { LOADS } from './loads.ts'
import { addedLatency, figuresOf, type GatewayResult, OURS, type ProxyResult, ratiosOf, runsOf } from './result.ts'

export function gatewayTables(result: GatewayResult): string {
  return [
    ...LOADS.flatMap(({ name, title }) => [`${title[0]?.toUpperCase()}${title.slice(1)}:\n`, loadTable(result, name)]),
    `Memory, and the list (${result.names.toLocaleString('en')} names):\n`,
    proxyTable(result),
  ].join('\n')
}

/** What the document has: for each load requests per second and CPU per request, then memory and the list. */
export function gatewaySummary(result: GatewayResult): string {
  const rows = result.proxies.map(({ name, runs }) => [
    name,
    ...LOADS.map((load) => {
      const middle = (figure: Parameters<typeof figuresOf>[3]) => median(figuresOf(result, name, load.name, figure))
      const rate = Math.round(middle('rate')).toLocaleString('en')
      return runs[load.name].length === 0 ? '' : `${rate}; ${middle('cpu').toFixed(0)}`
    }),
  ])
  const asked = median(runsOf(result, OURS, 'school-day').flatMap(({ hostsAsked }) => hostsAsked ?? []))
  return [
    table(['requests/s; µs of CPU per request', ...LOADS.map(({ title }) => title)], rows),
    proxyTable(result),
    `On a school's day the proxy asks the engine about ${count(asked)} hosts per request.\n`,
  ].join('\n')
}

function loadTable(result: GatewayResult, load: (typeof LOADS)[number]['name']): string {
  const rows = result.proxies.flatMap(({ name, runs }) => {
    if (runs[load].length === 0) return []
    const middle = (figure: Parameters<typeof figuresOf>[3]) => median(figuresOf(result, name, load, figure))
    const asked = runs[load].flatMap(({ hostsAsked }) => hostsAsked ?? [])
    const ratio = estimateOf(ratiosOf(result, [OURS, name], load, 'rate'))
    return [
      [
        name,
        Math.round(middle('rate')).toLocaleString('en'),
        cpuOf(middle('cpu'), runs[load]),
        milliseconds(middle('p50')),
        milliseconds(middle('p99')),
        percent(middle('busy')),
        asked.length === 0 ? '' : count(median(asked)),
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
  const rows = result.proxies.map(({ name, memory, memoryBeyondSquid, changes }) => {
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
    const beyond = memoryBeyondSquid.length === 0 ? '' : mebibytes(median(memoryBeyondSquid))
    return [name, added, mebibytes(median(memory)), beyond, ...cells]
  })
  const head = ['proxy', "added to Squid's p50, decrypted, one connection", 'memory (PSS)', 'supervisor and helper']
  return table([...head, 'new name stopped after', 'failed meanwhile', 'longest response meanwhile'], rows)
}
