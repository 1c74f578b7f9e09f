// `engine stopped`: what was stopped, from the journal, and with `--follow` what is being stopped.
import { type Command, Option } from 'commander'
import type { AdministrationRequest, AdministrationResponse, Selection } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { printableJson } from '../terminal/printable.ts'
import { parseTime, TIME_HELP } from '../time-argument.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { followStops } from './follow-stops.ts'
import { dictatedReference } from './reference-argument.ts'
import { selected, withLimit } from './selection.ts'
import { createStopPrinter } from './stops-text.ts'

interface StoppedOptions extends EngineOptions, Selection {
  readonly since?: string
  readonly host?: string
  readonly reference?: readonly string[]
  readonly limit: number
  readonly follow?: true
}

type Found = AdministrationResponse<'stopped'>

/** The engine's database may search for 30 s. */
const SECONDS = 45

export function stoppedCommand(context: Context): Command {
  const command = createCommand(context, 'stopped', {
    purpose: 'Lists stopped requests from the journal, the newest first.',
    details: `
All that is named must match. casino.example is that host alone, .casino.example
with all hosts below it. Below a request are the other hosts at which the same
client and user was stopped within five seconds: most often the further names
that the page needs. That goes by time and client alone: behind one address, it
may have been somebody else.

--follow goes on with what is being stopped, the oldest first, until Ctrl-C; a
request appears about a second after it was stopped. With --json it prints a
JSON document per line.

Without --since, the newest of all that the journal keeps. --user and --client
also find pseudonyms, as long as their key exists; a pseudonym itself (~...) is
accepted, too. docs/journal.md describes what is kept.
${TIME_HELP}
${ENGINE}`,
    examples: [
      'gatewayctl engine stopped --since 10m --client 192.168.12.0/24',
      "gatewayctl engine stopped --since 45m --room 'room 12'",
      'gatewayctl engine stopped --follow --user anna',
      "gatewayctl engine stopped --since 1d --rule games --json | jq -r '.stops[].host' | sort | uniq -c",
    ],
  })
    .addOption(new Option('--since <time>', 'from this time on').argParser((text) => parseTime(text, context)))
    .addOption(new Option('--client <network>', 'of clients in this network, or this address').conflicts('room'))
    .addOption(new Option('--room <name>', "of the clients in this room of the policy's [rooms]"))
    .addOption(new Option('--user <name>', 'of this user'))
    .addOption(new Option('--rule <name>', 'by exactly this rule'))
    .addOption(new Option('--host <host>', 'for this host'))
    .addOption(new Option('--reference <reference...>', "with the reference on the visitor's page"))
    .addOption(new Option('--follow', 'go on with what is being stopped'))
  return withEngineOptions(withLimit(command)).action(async (options: StoppedOptions) => {
    const { since, host, reference, limit } = options
    const connection = await findEngine(context, options)
    const request: AdministrationRequest<'stopped'> = {
      ...selected(options),
      ...{ since, host, limit },
      reference: reference && dictatedReference(reference),
    }
    const call = (after?: string) => callEngine(connection, 'stopped', { ...request, after }, SECONDS)
    if (options.follow) return await follow(context, options, call)
    const found = await call()
    if (options.json) {
      const { next: _, ...document } = found
      context.stdout.write(`${printableJson(document, 2)}\n`)
      return
    }
    createStopPrinter(context).print(found.stops)
    context.stderr.write(remarks(found, options))
  })
}

async function follow(
  context: Context,
  options: StoppedOptions,
  call: (after?: string) => Promise<Found>,
): Promise<void> {
  const printer = createStopPrinter(context)
  const remark = (text: string) => context.stderr.write(`${text}\n`)
  const first = await call()
  for (const text of missing(first, options)) remark(text)
  for await (const stops of followStops(first, call, remark)) {
    if (options.json) for (const stop of stops) context.stdout.write(`${printableJson(stop)}\n`)
    else printer.print(stops)
    // A slow reader: what waits for it would fill the memory.
    if (context.stdout.writableNeedDrain) await new Promise((resolve) => context.stdout.once('drain', resolve))
  }
}

function remarks(found: Found, options: StoppedOptions): string {
  const { stops, more, kept } = found
  const count = stops.length.toLocaleString('en')
  const shown = more ? `The newest ${count}; more match (--limit shows more)` : `${count} in all`
  const kind = kept.days === 1 ? 'a day' : `${kept.days} days`
  const lead =
    stops.length === 0
      ? `No stopped request matches. The journal keeps ${kind}.`
      : `${shown}. To explain one: gatewayctl engine why --reference REFERENCE`
  return `${[lead, ...missing(found, options)].join('\n')}\n`
}

/** What cannot be among them, and because of which setting. */
function missing(
  { kept, without_pseudonyms, without_some_clients }: Found,
  { host }: StoppedOptions,
): readonly string[] {
  return [
    ...(kept.hosts
      ? []
      : [
          `The journal keeps no hosts ([journal] hosts = false)${host === undefined ? '' : ': --host finds only what is older than that'}.`,
        ]),
    ...(without_pseudonyms
      ? [
          `Clients are pseudonyms after ${kept.person_days} days ([journal] person_days); in a network of more than 65,536 addresses these are not found.`,
        ]
      : []),
    ...(without_some_clients
      ? [
          'The journal has more than 100,000 clients of this network: only so many are found; smaller networks have all.',
        ]
      : []),
  ]
}
