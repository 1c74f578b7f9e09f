// The options that filter acceptances.
import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { parseTime, TIME_HELP } from '../../time-argument.ts'
import type { AcceptanceFilter } from './ledger/reading.ts'

export interface FilterOptions {
  readonly since?: string
  readonly until?: string
  readonly rule?: string
  readonly state?: NonNullable<AcceptanceFilter['state']>
  readonly policyVersion?: string
}

export const FILTER = `${TIME_HELP}
It is compared with requested_at: when the visitor first acknowledged.

--state unknown selects those pending for more than 60 seconds: no response of
the engine was recorded.`

export function withFilterOptions(context: Context, command: Command): Command {
  const moment = (text: string) => parseTime(text, context)
  return command
    .addOption(new Option('--since <time>', 'from this time on').argParser(moment))
    .addOption(new Option('--until <time>', 'before this time').argParser(moment))
    .addOption(new Option('--rule <name>', 'of exactly this rule'))
    .addOption(new Option('--state <state>', 'in this state').choices(['pending', 'accepted', 'refused', 'unknown']))
    .addOption(new Option('--policy-version <version>', 'of exactly this policy version'))
}

/** @throws {Failure} */
export function filterOf({ since, until, rule, state, policyVersion }: FilterOptions): AcceptanceFilter {
  if (since !== undefined && until !== undefined && since >= until) {
    throw new Failure(`--since (${since}) must be before --until (${until})`, EXIT_MISUSED)
  }
  return { since, until, ruleName: rule, state, policyVersion }
}
