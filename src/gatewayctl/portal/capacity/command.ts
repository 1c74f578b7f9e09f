// `portal capacity`: replicas, cores, memory, database and network for so many visitors.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { printableJson } from '../../printable.ts'
import { verb } from '../../verb.ts'
import type { World } from '../../world.ts'
import { type Capacity, capacityFor, type Site } from './model.ts'

/** The options, with what a site without figures of its own may start from. */
const OPTIONS: Readonly<
  Record<keyof Site, readonly [flags: string, says: string, usual: number, least: number, most: number]>
> = {
  visitors: ['--visitors <number>', 'who use the gateway at the same time', 1_000, 1, 1e9],
  verdictsPerHour: ['--verdicts-per-hour <number>', 'of one visitor, in the busiest hour', 20, 0, 1e6],
  subresourceShare: ['--subresource-share <0 to 1>', 'of the verdicts: images, scripts, frames', 0.8, 0, 1],
  acknowledgementsPerDay: ['--acknowledgements-per-day <number>', 'policies that one visitor accepts', 1, 0, 1e4],
  burst: ['--burst <factor>', 'busiest minute over the busiest hour’s average', 3, 1, 1e3],
  retentionDays: ['--retention-days <number>', 'for how long acceptances are kept', 365, 1, 36_500],
}

export function showCapacity(world: World): Command {
  const command = verb(world, 'capacity', {
    purpose: 'Says how much so many visitors need: replicas, cores, database, network.',
    details: `
A formula over what one portal was measured to take; it asks nobody. Measure
your own site, and leave room. docs/capacity.md explains every term.`,
    examples: [
      'gatewayctl portal capacity --visitors 100000',
      'gatewayctl portal capacity --visitors 5000 --acknowledgements-per-day 0.1 --json',
    ],
  }).addOption(new Option('--json', 'as one JSON document'))
  for (const [flags, says, usual, least, most] of Object.values(OPTIONS)) {
    command.addOption(new Option(flags, says).argParser((text) => number(text, least, most)).default(usual))
  }
  return command.action(({ json, ...site }: Site & { readonly json?: true }) => {
    const capacity = capacityFor(site)
    world.stdout.write(json ? `${printableJson({ site, ...capacity }, 2)}\n` : shown(capacity))
  })
}

function number(text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= least && value <= most)) {
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
  }
  return value
}

function shown(capacity: Capacity): string {
  const { used } = capacity
  const count = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
  const whole = new Intl.NumberFormat('en')
  const rows: [string, string][] = [
    ['pages', `${count.format(capacity.pages)} a second in the busiest minute`],
    ['sub-resources', `${count.format(capacity.subresources)} a second`],
    [
      'acknowledgements',
      `${count.format(capacity.acknowledgements)} a second, ${count.format(capacity.commits)} durable commits`,
    ],
    [
      'portal',
      `${whole.format(capacity.replicas)} replicas, ${count.format(capacity.portalCores)} cores, ${whole.format(capacity.memoryMegabytes)} MB`,
    ],
    ['terminator', `${count.format(capacity.terminatorCores)} cores`],
    [
      'PostgreSQL',
      `${whole.format(capacity.connections)} connections${capacity.connections > 100 ? ': put PgBouncer before it' : ''}`,
    ],
    [
      'ledger',
      `${whole.format(Math.round(capacity.acceptances))} acceptances, ${count.format(capacity.ledgerGigabytes)} GB`,
    ],
    ['network', `${count.format(capacity.megabitsPerSecond)} Mbit/s`],
  ]
  const [first] = used
  const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })
  const table = rows.map(([name, says]) => `${name.padEnd(18)}${says}\n`).join('')
  return `${table}\nFirst in the way: ${first?.limit} (${percent.format(first?.share ?? 0)} used).\n`
}
