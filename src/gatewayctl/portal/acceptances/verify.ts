// `portal acceptances verify`: names the first attempt that was changed, removed or inserted after a head.
import { type Command, Option } from 'commander'
import { LedgerUnavailable } from '../../../ledger/ledger-unavailable.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { startProgress } from '../../terminal/progress.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, withDatabaseOptions } from './database.ts'
import { readExportedHeads } from './exported-heads.ts'
import type { Finding } from './verifying/findings.ts'
import { type Verified, verifyLedger } from './verifying/verify.ts'

interface VerifyOptions extends DatabaseOptions {
  readonly heads?: string
  readonly json?: true
}

export function verifyAcceptancesCommand(context: Context): Command {
  const command = createCommand(context, 'verify', {
    purpose: 'Verifies the ledger against its signed heads.',
    details: `
It names the first attempt that was changed, removed or inserted after a head
covered it; deletions by prune are counted. Without --heads it trusts the heads
in the database, which somebody may have replaced with all they cover. With it,
every exported head must still be there, and only keys of exported heads count.
The exit code is 1 if something was tampered with, 2 if the ledger or the file
cannot be read. docs/ledger.md says what this shows, and what it does not.
${DATABASE}`,
    examples: [
      'gatewayctl portal acceptances verify --heads heads.jsonl',
      'gatewayctl portal acceptances verify --database-url-file standby-url --json',
    ],
  })
    .addOption(new Option('--heads <file>', 'exported heads: of "heads --json", or the log of the portals'))
    .addOption(new Option('--json', 'print the result as one JSON document'))
  return withDatabaseOptions(command).action(async ({ heads, json, ...options }: VerifyOptions) => {
    const location = ledgerLocation(context, options)
    const exported = heads === undefined ? [] : await readExportedHeads(heads)
    const progress = startProgress(context.stderr)
    const verified = await verifyLedger(location, exported, (count) =>
      progress.show(`${count.toLocaleString('en')} heads verified`),
    ).catch((error: unknown) => {
      throw error instanceof LedgerUnavailable ? new Failure(error.message, EXIT_MISUSED) : error
    })
    progress.clear()
    context.stdout.write(json ? `${printableJson(verified, 2)}\n` : described(verified, exported.length))
    if (verified.first !== undefined) throw new Failure(alarm(verified.first, verified.total))
  })
}

const count = (number: number) => number.toLocaleString('en')

function described(verified: Verified, exported: number): string {
  const { heads, portals, coveredUntil, attempts, uncovered, deleted, deletions, copies } = verified
  return `${[
    `heads        ${count(heads)} of ${count(portals)} portal starts${exported > 0 ? `, ${count(exported)} exported` : ''}`,
    `covered      ${count(attempts)} attempts, up to ${printable(coveredUntil ?? '-')}`,
    `not yet      ${count(uncovered)} attempts`,
    `deleted      ${count(deleted)} attempts, by ${count(deletions)} ${deletions === 1 ? 'deletion' : 'deletions'}`,
    ...(copies > 0
      ? [`copied in    attempts that no head had covered, by ${count(copies)} ${copies === 1 ? 'batch' : 'batches'}`]
      : []),
    ...verified.keys.map((key) => `key          ${printable(key)}`),
  ].join('\n')}\n`
}

function alarm({ what, problem, id, jti, at, detail }: Finding, total: number): string {
  const which = what === 'attempt' ? 'the first attempt' : `the first: ${what}`
  const reference = jti === null ? '' : `, jti ${printable(jti)}`
  const more = total > 1 ? `\n${count(total)} findings in all (--json has the first thousand)` : ''
  return `the ledger was tampered with; ${which} is ${printable(id)} (${printable(at)}${reference}): ${problem}: ${printable(detail)}${more}`
}
