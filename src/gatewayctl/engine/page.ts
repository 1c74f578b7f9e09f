// `engine why --page`: the address of the page that a visitor would see.
import * as z from 'zod'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { requestDecision } from './client.ts'
import { type EngineOptions, findEngine } from './connection.ts'

const shape = z.discriminatedUnion('verdict', [
  z.object({ verdict: z.literal('allow') }),
  z.object({
    verdict: z.enum(['block', 'warn', 'aup']),
    rule: z.string(),
    reference: z.string(),
    redirect: z.string(),
  }),
])

/**
 * Requests a decision as a proxy does, and prints the address of its page.
 * @throws {Failure} when the engine allows the URL
 */
export async function printPage(
  context: Context,
  options: EngineOptions,
  request: { readonly url: string; readonly client: string; readonly user: string | undefined },
): Promise<void> {
  const connection = await findEngine(context, options, 'engine-api-token')
  const decision = await requestDecision(connection, request, shape)
  if (options.json) context.stdout.write(`${printableJson(decision, 2)}\n`)
  else if (decision.verdict !== 'allow') context.stdout.write(`${printable(decision.redirect)}\n`)
  if (decision.verdict === 'allow') throw new Failure(`the engine allows ${printable(request.url)}: there is no page`)
}
