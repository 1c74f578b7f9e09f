// `portal acceptances show`: prints one acceptance with its attempts and the accepted text, and verifies the text's hash.
import { type Command, Option } from 'commander'
import { DICTATED_REFERENCE, parseReference } from '../../../contract/reference.ts'
import { ACCEPTANCE_COLUMNS, ATTEMPT_COLUMNS, type DocumentRecord } from '../../../ledger/schema.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { sha256 } from '../../files/atomic-file.ts'
import { streamOutput } from '../../files/output.ts'
import { printable, printableJson, printableLines } from '../../terminal/printable.ts'
import { createStyle } from '../../terminal/style.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, withDatabaseOptions } from './database.ts'
import { displayedState, stateColour } from './displayed-state.ts'
import { type AcceptanceWithAttempts, type FoundAcceptance, openReader } from './ledger/reading.ts'

/** Of an ambiguous reference. */
const MAXIMUM_CANDIDATES = 10

interface ShowOptions extends DatabaseOptions {
  readonly text?: true
  readonly json?: true
}

export function showAcceptanceCommand(context: Context): Command {
  const command = createCommand(context, 'show', {
    purpose: 'Shows one acceptance, its attempts, and the exact text that was accepted.',
    details: `
The exit code is 1 if the text is missing in the ledger, or its hash differs.
${DATABASE}`,
    examples: [
      'gatewayctl portal acceptances show 019ea8f4-6a00-7000-8000-000000000001',
      'gatewayctl portal acceptances show Zk3Qv0yqS1uYb2mXw7cD4g --text | sha256sum',
    ],
  })
    // A verdict's id may start with a hyphen, even with `-h`.
    .helpOption('--help', 'print this help')
    .allowUnknownOption()
    .argument(
      '<id-or-jti...>',
      "the acceptance's id, or the verdict's: the reference on the visitor's page, or its first eight characters",
    )
    .addOption(new Option('--text', 'print only the text, unchanged'))
    .addOption(new Option('--json', 'print one JSON document').conflicts('text'))
  return withDatabaseOptions(command).action(async (given: readonly string[], options: ShowOptions) => {
    // Accepts the value of a CSV cell, and a reference with the page's spaces.
    const idOrReference = parseReference(given.join('')).replace(/^'/, '')
    if (given.length > 1 && !DICTATED_REFERENCE.test(idOrReference)) {
      command.error(`error: these are no reference in groups: ${printable(given.join(' '))}`)
    }
    const reader = await openReader(ledgerLocation(context, options), context.clock)
    const [found, ...others] = await reader.find(idOrReference, MAXIMUM_CANDIDATES + 1).finally(() => reader.close())
    if (found === undefined) throw new Failure(`no acceptance has the id or jti ${idOrReference}`)
    if (others.length > 0) throw new Failure(candidatesText([found, ...others]))
    const { acceptance, document } = found
    if (options.json) context.stdout.write(`${printableJson({ acceptance, document: document ?? null }, 2)}\n`)
    else if (options.text) await streamOutput(context.stdout).write(document?.text ?? '')
    else context.stdout.write(described(context, acceptance, document))
    if (document === undefined) {
      throw new Failure(`the text with SHA-256 ${acceptance.document_sha256} is not in this ledger`)
    }
    const actual = sha256(document.text)
    if (actual !== document.sha256) {
      throw new Failure(`the text has been altered: its SHA-256 is ${actual}, not ${document.sha256}`)
    }
  })
}

/** What may be meant, a line each. */
function candidatesText(candidates: readonly FoundAcceptance[]): string {
  const lines = candidates
    .slice(0, MAXIMUM_CANDIDATES)
    .map(({ acceptance: { jti, requested_at, rule_name } }) => `${jti}  ${requested_at}  ${printable(rule_name)}`)
  const rest = candidates.length > MAXIMUM_CANDIDATES ? ['and older ones'] : []
  return ['several references begin like this, in capitals or small letters:', ...lines, ...rest].join('\n')
}

function described(context: Context, acceptance: AcceptanceWithAttempts, document: DocumentRecord | undefined): string {
  const style = createStyle(context)
  const state = displayedState(acceptance, context.clock())
  const width = Math.max(...ACCEPTANCE_COLUMNS.map(({ length }) => length))
  const lines = ACCEPTANCE_COLUMNS.map((column) => {
    const value =
      column === 'state' ? style(stateColour(state), printable(state)) : printable(acceptance[column] ?? '-')
    return `${column.padEnd(width)}  ${value}`
  })
  for (const [at, attempt] of acceptance.attempt_records.entries()) {
    lines.push('', style('bold', `Attempt ${at + 1}`))
    for (const column of ATTEMPT_COLUMNS) lines.push(`${column.padEnd(width)}  ${printable(attempt[column] ?? '-')}`)
  }
  if (document !== undefined) {
    const { media_type, locale, text } = document
    lines.push('', style('bold', `The text (${printable(media_type)}, ${printable(locale)})`))
    lines.push(printableLines(text).replace(/\n$/, ''))
  }
  return `${lines.join('\n')}\n`
}
