// The chart of a run: the portal compared with other servers, and its ratio to the bare server in each scenario.

import { type PlotRow, renderChart } from './chart.ts'
import { BARE, OPENING, PORTAL } from './contenders.ts'
import { percent } from './format.ts'
import { type Results, rateRatio } from './results.ts'

const TARGETS: Readonly<Record<string, number>> = { blocked: 0.5, subresource: 0.7 }

export function picture({ scenarios }: Results): string {
  const blocked = scenarios.find(({ scenario }) => scenario.name === 'blocked')?.contenders ?? []
  const [portal] = blocked
  const others = blocked.map(
    (one): PlotRow => ({
      label: plain(one.name === PORTAL ? 'this portal' : one.name),
      figure: rateRatio(one, portal ?? one),
      isOurs: one === portal,
    }),
  )
  const toBare = scenarios.flatMap(({ scenario, pairs }) =>
    pairs
      .filter(([, other]) => other.name === BARE || other.name === OPENING)
      .map(
        ([one, other]): PlotRow => ({
          label: plain(`${scenario.title.replace(/ \(.*/, '')}${other.name === OPENING ? ', opening p' : ''}`),
          figure: rateRatio(one, other),
          aim: other.name === BARE ? TARGETS[scenario.name] : scenario.name === 'blocked' ? 0.85 : undefined,
        }),
      ),
  )
  return renderChart('Requests per second of the portal compared with other servers, on one core', [
    {
      title: 'Requests/s for /blocked, all on one core: how many times the portal’s',
      scale: 'logarithmic',
      ticks: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      labelOf: (value) => `${Number(value.toPrecision(2))}×`,
      rows: others.toSorted((one, other) => other.figure.median - one.figure.median),
    },
    {
      title: 'Requests/s of the portal, as a part of bare node:http (mark: the target)',
      scale: 'linear',
      ticks: [0, 0.25, 0.5, 0.75, 1],
      labelOf: percent,
      rows: toBare,
    },
  ])
}

function plain(text: string): string {
  return text.replaceAll('`', '')
}
