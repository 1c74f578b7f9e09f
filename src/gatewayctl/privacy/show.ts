// `privacy show` and `privacy export`: what is stored about a person.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { fileOutput } from '../files/output.ts'
import { printableJson } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { personDocument } from './document.ts'
import { type Gathered, gather } from './gather.ts'
import { PERSON, type PersonOptions, SOURCES, withPersonOptions } from './person-options.ts'
import type { PersonRows } from './sources/engines.ts'
import { elsewhereLines, partWords, summaryLines } from './summary.ts'

/** Of each kind. */
const SHOWN = 20
const COLUMNS: { readonly [Part in keyof PersonRows]: readonly (keyof PersonRows[Part][number] & string)[] } = {
  stops: ['at', 'verdict', 'rule', 'client', 'user', 'host'],
  events: ['at', 'event', 'outcome', 'rule', 'client', 'user', 'host'],
  sessions: ['started_at', 'expires_at', 'rule', 'client', 'user'],
  attempts: ['expires_at', 'used', 'allowed', 'rule', 'client', 'user'],
  permissions: ['created_at', 'expires_at', 'host', 'by'],
  presences: ['expires_at', 'client', 'user'],
  redemptions: ['expires_at', 'reference'],
  memory: ['at', 'verdict', 'rule', 'client', 'user', 'url'],
}

export function showPersonCommand(context: Context): Command {
  const command = createCommand(context, 'show', {
    purpose: 'Shows what is stored about a person, and where else something may be.',
    details: `
The newest ${SHOWN} of each kind; "privacy export" writes all.
${PERSON}${SOURCES}`,
    examples: ['gatewayctl privacy show --user anna', 'gatewayctl privacy show --client 192.168.1.20 --json'],
  }).addOption(new Option('--json', 'print everything as one JSON document'))
  return withPersonOptions(command).action(async (options: PersonOptions) => {
    const gathered = await gather(context, options)
    if (options.json) context.stdout.write(`${printableJson(personDocument(gathered, context.clock()), 2)}\n`)
    else context.stdout.write(shown(context, gathered))
    failUnlessComplete(gathered)
  })
}

export function exportPersonCommand(context: Context): Command {
  const command = createCommand(context, 'export', {
    purpose: 'Writes all that is stored about a person as one JSON document.',
    details: `
For a person who asks what is stored about her (GDPR, articles 15 and 20): its
"summary" is for reading, the rest for programs. Read it before you hand it out:
it may name others, such as those who opened a host for her. The file of
--output is readable for its owner only.
${PERSON}${SOURCES}`,
    examples: ['gatewayctl privacy export --user anna --output anna.json'],
  }).addOption(new Option('--output <file>', 'write to this file instead of standard output'))
  return withPersonOptions(command).action(async (options: PersonOptions & { readonly output?: string }) => {
    const gathered = await gather(context, options)
    const text = `${printableJson(personDocument(gathered, context.clock()), 2)}\n`
    if (options.output === undefined) context.stdout.write(text)
    else {
      const output = await fileOutput(options.output)
      await output.write(text)
      await output.finish()
      context.stderr.write(`${summaryLines(gathered).join('\n')}\n`)
    }
    failUnlessComplete(gathered)
  })
}

/** @throws {Failure} */
function failUnlessComplete({ unreachable }: Gathered): void {
  if (unreachable.length > 0) throw new Failure(`this is not all: ${unreachable.join('; ')}`)
}

function shown(context: Context, gathered: Gathered): string {
  const tables = gathered.engines.flatMap(({ rows }) =>
    (Object.keys(COLUMNS) as (keyof PersonRows)[]).flatMap((part) => {
      const all: readonly Readonly<Record<string, unknown>>[] = rows[part]
      if (all.length === 0) return []
      return [`\n${partWords[part]}\n`, table<string>(context, COLUMNS[part], all.slice(-SHOWN).toReversed())]
    }),
  )
  const acceptances = gathered.ledgers.flatMap((one) => one.acceptances)
  if (acceptances.length > 0) {
    const newest = acceptances.slice(-SHOWN).toReversed()
    tables.push(
      '\nacceptances\n',
      table(context, ['requested_at', 'state', 'policy_version', 'jti', 'rule_name'], newest),
    )
  }
  return `${[...summaryLines(gathered)].join('\n')}\n${tables.join('')}\n${elsewhereLines(gathered.elsewhere).join('\n')}\n`
}
