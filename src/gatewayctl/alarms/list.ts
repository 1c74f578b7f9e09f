// `alarms list`: what the last round found. It also says whether the watcher itself still works.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { parseMinutes } from '../time-argument.ts'
import { minute } from './message.ts'
import { stateFiles, stateOption } from './options.ts'
import { CHANNELS, hasEnded, type Remembered } from './rounds.ts'
import { readState } from './state.ts'

interface ListOptions {
  readonly state: string
  readonly json?: true
  /** Minutes. */
  readonly maxAge?: number
}

const COLUMNS = ['cause', 'since', 'sent', 'what'] as const
const MAXIMUM_MINUTES = 60 * 24

export function listAlarmsCommand(context: Context): Command {
  return createCommand(context, 'list', {
    purpose: 'Lists what the last round of the watcher found.',
    details: `
It checks nothing itself. With --max-age the exit code is 1 where the
last round is older: the watcher does not run.`,
    examples: [
      'gatewayctl alarms list',
      'gatewayctl alarms list --max-age 10m',
      "gatewayctl alarms list --json | jq '.alarms[].cause'",
    ],
  })
    .addOption(stateOption())
    .addOption(new Option('--json', 'print one JSON document'))
    .addOption(
      new Option('--max-age <duration>', 'fail where the last round is older: 10m').argParser((text) =>
        parseMinutes(text, MAXIMUM_MINUTES),
      ),
    )
    .action(({ state: path, json, maxAge }: ListOptions) => {
      const { state, faults } = readState(stateFiles(path, context))
      const now = context.clock()
      const current = state.causes.filter((one) => !hasEnded(one))
      for (const fault of faults) context.stderr.write(`warning: ${printable(fault)}\n`)
      context.stdout.write(
        json
          ? `${printableJson({ round_at: state.roundAt === 0 ? null : iso(state.roundAt), alarms: current.map(asJson) }, 2)}\n`
          : current.length === 0
            ? 'Nothing is wrong.\n'
            : table(context, COLUMNS, current.map(asRow)),
      )
      if (!json) context.stdout.write(`Last round: ${state.roundAt === 0 ? 'none' : minute(state.roundAt)}\n`)
      const isOld = maxAge !== undefined && Math.abs(now - state.roundAt) > maxAge * 60_000
      if (isOld) throw new Failure('the watcher does not run: its last round is too old (gateway-alarms.timer)')
    })
}

function asRow(one: Remembered) {
  const at = lastSent(one)
  return { cause: one.id, since: minute(one.since), sent: at === null ? '-' : minute(at), what: one.summary }
}

function asJson(one: Remembered) {
  const at = lastSent(one)
  return {
    cause: one.id,
    summary: one.summary,
    to_do: one.remedy,
    since: iso(one.since),
    sent_at: at === null ? null : iso(at),
  }
}

function lastSent({ told }: Remembered): number | null {
  const times = CHANNELS.map((channel) => told[channel]).filter(({ what }) => what === 'alarm')
  return times.reduce<number | null>((latest, { alarmedAt }) => Math.max(latest ?? 0, alarmedAt ?? 0) || null, null)
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
