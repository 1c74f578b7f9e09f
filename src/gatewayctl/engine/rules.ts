// `engine rules`: the rules as the engine has them.
import type { Command } from 'commander'
import type { ListedRule } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { createLocalTime } from '../local-time.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'

const COLUMNS = ['line', 'rule', 'action', 'stopped', 'allowed', 'conditions'] as const
/** Of what one condition names. */
const SHOWN = 3

export function rulesCommand(context: Context): Command {
  const command = createCommand(context, 'rules', {
    purpose: 'Lists the rules in the order in which the engine tries them.',
    details: `
Locked rules come first. "stopped" and "allowed" count the requests that a rule
has decided today, in this engine, since midnight in its time zone or since its
start; what a session opens is allowed. Requests that pass without a decision
are not counted. The rule's name is that of the pages, the log and the metrics.
${ENGINE}`,
    examples: [
      'gatewayctl engine rules',
      "gatewayctl engine rules --json | jq '.rules[] | select(.hits.stopped == 0) | .name'",
    ],
  })
  return withEngineOptions(command).action(async (options: EngineOptions) => {
    const time = createLocalTime(context)
    const found = await callEngine(await findEngine(context, options), 'rules', {})
    if (options.json) {
      context.stdout.write(`${printableJson(found, 2)}\n`)
      return
    }
    context.stdout.write(table(context, COLUMNS, found.rules.map(rowOf)))
    context.stderr.write(`Counted since ${time(found.since)}; the engine’s time zone: ${printable(found.timezone)}.\n`)
  })
}

function rowOf(rule: ListedRule): Readonly<Record<(typeof COLUMNS)[number], unknown>> {
  const { name, line, action, locked, hits } = rule
  return {
    line,
    rule: name,
    action: locked ? `${action}, locked` : action,
    stopped: hits?.stopped,
    allowed: hits?.allowed,
    conditions: conditionsText(rule),
  }
}

/** `match: a.example, b.example; except users: anna` */
function conditionsText({ conditions, except }: ListedRule): string {
  const texts = (all: ListedRule['conditions'], before = '') =>
    Object.entries(all).map(([key, names]) => `${before}${key}: ${shortened(names)}`)
  const parts = [...texts(conditions), ...texts(except ?? {}, 'except ')]
  return parts.length === 0 ? '-' : parts.join('; ')
}

function shortened(names: readonly string[]): string {
  const more = names.length - SHOWN
  return [...names.slice(0, SHOWN), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
