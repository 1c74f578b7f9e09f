// `engine decide`: the decision that a proxy would get, and the address of the page that a visitor would see.
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { requestDecision } from './client.ts'
import { type EngineOptions, findEngine, withEngineOptions } from './connection.ts'

interface DecideOptions extends EngineOptions {
  readonly client: string
  readonly user?: string
}

const shape = z.discriminatedUnion('verdict', [
  z.object({ verdict: z.literal('allow') }),
  z.object({
    verdict: z.enum(['block', 'warn', 'aup']),
    rule: z.string(),
    reference: z.string(),
    redirect: z.string(),
  }),
])

export function decideCommand(context: Context): Command {
  const command = createCommand(context, 'decide', {
    purpose: 'Prints the address of the page that a visitor would get for a URL.',
    details: `
It requests a decision as a proxy does. The engine logs and counts it, and
starts a session if somebody proceeds on that page. The exit code is 1 if the
engine allows the URL. To learn why, use gatewayctl engine why.

The engine, its CA and the token are found as for gatewayctl engine why; the
token is that of connectors and portals (secrets/engine-api-token).`,
    examples: [
      'gatewayctl engine decide https://casino.example/',
      'gatewayctl engine decide https://casino.example/ --client 198.51.100.7 --user anna',
    ],
  })
    .argument('<url>', 'the URL that a visitor requests')
    .addOption(new Option('--client <address>', 'for this client address').default('127.0.0.1'))
    .addOption(new Option('--user <name>', 'for this user'))
  return withEngineOptions(command).action(async (url: string, options: DecideOptions) => {
    const { client, user, json } = options
    const connection = await findEngine(context, options, 'engine-api-token')
    const decision = await requestDecision(connection, { url, client, user }, shape)
    if (json) context.stdout.write(`${printableJson(decision, 2)}\n`)
    else if (decision.verdict !== 'allow') context.stdout.write(`${printable(decision.redirect)}\n`)
    if (decision.verdict === 'allow') throw new Failure(`the engine allows ${printable(url)}: there is no page`)
  })
}
