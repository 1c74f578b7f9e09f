// `privacy retention`: how long what is kept about people, by the settings in force.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { callEngine } from '../engine/client.ts'
import { Failure } from '../failure.ts'
import { ledgerLocation } from '../portal/acceptances/database.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { createStyle } from '../terminal/style.ts'
import { type PersonOptions, SOURCES, withSourceOptions } from './person-options.ts'
import { thisMachine } from './retention/machine.ts'
import type { Place } from './retention/place.ts'
import { enginePlaces, ledgerPlace, POSTGRESQL, placesBeyondReach } from './retention/retention.ts'
import { connections } from './sources/engines.ts'
import { ledgerName } from './sources/ledgers.ts'

export function retentionCommand(context: Context): Command {
  const command = createCommand(context, 'retention', {
    purpose: 'Prints how long what is kept about people, by the settings in force.',
    details: `
The engine's journal and state, acceptances, logs and backups: where they are,
until when, and which setting decides it. What has no limit is named with the
command that sets one. Of logs and backups it sees those of this machine.
${SOURCES}`,
    examples: [
      'gatewayctl privacy retention',
      "gatewayctl privacy retention --json | jq '.places[] | select(.kept == null)'",
    ],
  }).addOption(new Option('--json', 'print one JSON document'))
  return withSourceOptions(command).action(async (options: PersonOptions) => {
    const { places, unreachable } = await findPlaces(context, options)
    if (options.json) {
      const shown = places.map(({ isBeyondReach: _, ...one }) => one)
      context.stdout.write(`${printableJson({ places: shown, not_asked: unreachable }, 2)}\n`)
    } else context.stdout.write(places.map((one) => lines(context, one)).join(''))
    if (unreachable.length > 0) throw new Failure(`this is not all: ${unreachable.join('; ')}`)
  })
}

async function findPlaces(context: Context, options: PersonOptions) {
  const machine = thisMachine(context)
  const places: Place[] = []
  const unreachable: string[] = []
  let isPostgres = false
  for (const connection of await connections(context, options)) {
    try {
      const retention = await callEngine(connection, 'privacy/retention', {})
      isPostgres ||= retention.state.postgresql || retention.journal?.postgresql === true
      places.push(...enginePlaces(connection.url.origin, retention))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      unreachable.push(error.message)
    }
  }
  const ledgers = options.acceptances ? (options.databaseUrlFile ?? [undefined]) : []
  for (const file of ledgers) {
    try {
      const location = ledgerLocation(context, file === undefined ? {} : { databaseUrlFile: file })
      isPostgres ||= location.dialect === 'postgres'
      places.push(await ledgerPlace(machine, ledgerName(location)))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      unreachable.push(error.message)
    }
  }
  places.push(...(isPostgres ? [POSTGRESQL] : []), ...(await placesBeyondReach(machine)))
  return { places, unreachable }
}

function lines(context: Context, { what, where, kept, set }: Place): string {
  const style = createStyle(context)
  return [
    style('bold', printable(what)),
    `  where  ${printable(where)}`,
    `  kept   ${kept === null ? style('yellow', 'without a limit') : printable(kept)}`,
    `  set    ${printable(set)}`,
    '',
  ].join('\n')
}
