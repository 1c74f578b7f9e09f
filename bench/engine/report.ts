// Formats what was measured of the engine as Markdown.
import { count, mebibytes, microseconds, milliseconds, table } from '../format.ts'
import { median } from '../statistics.ts'
import { bytesPerMillion, type EngineResult, type ListProcess, peakRatios, reloadFigures } from './result.ts'

export function engineTables({ lists }: EngineResult): string {
  const [empty] = lists
  const rows = lists.map((list) => {
    const ofReloads = (figure: Parameters<typeof reloadFigures>[1]) => median(reloadFigures(list, figure))
    const after = (index: number) =>
      mebibytes(median(list.processes.map(({ reloads }) => reloads.at(index)?.after ?? Number.NaN)))
    const longest = reloadFigures(list, 'longest')
    const cpu = (kind: keyof ListProcess['cpu']) => {
      return microseconds(median(list.processes.map((one) => one.cpu[kind] ?? Number.NaN)))
    }
    return [
      `${list.names.toLocaleString('en')}${list.urls === 0 ? '' : `, ${list.urls.toLocaleString('en')} URLs`}`,
      `${median(list.starts).toFixed(0)} ms`,
      mebibytes(median(list.processes.map(({ atStart }) => atStart))),
      after(0),
      after(-1),
      empty === undefined || list === empty ? '' : mebibytes(median(bytesPerMillion(list, empty))),
      mebibytes(ofReloads('peak')),
      count(median(peakRatios(list))),
      `${ofReloads('inForce').toFixed(0)} ms`,
      `${milliseconds(median(longest))}, ${milliseconds(Math.max(...longest))}`,
      milliseconds(median(list.processes.map((one) => one.longest))),
      `${cpu('allowed')}, ${cpu('stopped')}${list.urls === 0 ? '' : `, ${cpu('byUrl')}`}`,
    ]
  })
  const reloads = Math.max(...lists.flatMap(({ processes }) => processes.map((one) => one.reloads.length)))
  const head = [
    ...['names', 'from start to right verdicts', 'memory at the start', 'after 1 reload', `after ${reloads}`],
    ...['per million names', 'peak of a reload', 'by the memory before', 'new list in force'],
    ...['longest response during a reload: median, most', 'without a reload'],
    'CPU of a JSON call: allowed, stopped, stopped by a URL',
  ]
  return table(head, rows)
}
