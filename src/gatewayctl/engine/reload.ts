// `engine reload`: has the engine read its policy and lists again.
import type { Command } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { counted, describePolicy } from './load-result.ts'

/** Lists of millions of names on a busy machine. */
const SECONDS = 120

interface ReloadOptions extends EngineOptions {
  readonly acceptLosses?: true
}

export function reloadCommand(context: Context): Command {
  const command = createCommand(context, 'reload', {
    purpose: 'Has the engine read its policy and lists again, and prints every problem.',
    details: `
The engine does this by itself when a file has changed. A policy with problems
is rejected as a whole: the previous one stays in force. So is one that has lost
half of its rules or of gateway.internal, or default = "block", and a list or a
group that has lost half of its entries. The exit code is 1 if anything was
rejected.
${ENGINE}`,
    examples: [
      'gatewayctl engine reload',
      'gatewayctl engine reload --accept-losses',
      "gatewayctl engine reload --json | jq '.problems[]'",
    ],
  }).option('--accept-losses', 'also a policy, list or group that has lost half of its entries')
  return withEngineOptions(command).action(async (options: ReloadOptions) => {
    const connection = await findEngine(context, options)
    const request = { accept_losses: options.acceptLosses }
    const { policy, ...load } = await callEngine(connection, 'reload', request, SECONDS)
    const { result, problems, warnings } = load
    if (options.json) context.stdout.write(`${printableJson({ ...load, policy }, 2)}\n`)
    else {
      for (const warning of warnings) context.stderr.write(`warning: ${printable(warning)}\n`)
      for (const problem of problems) context.stderr.write(`problem: ${printable(problem)}\n`)
      context.stdout.write(
        result === 'kept'
          ? `Rejected: ${counted(problems.length, 'problem')}. The previous policy stays in force: ${printable(describePolicy(policy))}.\n`
          : `Loaded: ${printable(describePolicy(policy))}.\n`,
      )
    }
    if (problems.length > 0) throw new Failure()
  })
}
