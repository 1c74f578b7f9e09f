// `engine why`: why a request is stopped or allowed, and what would change that.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { printableJson } from '../terminal/printable.ts'
import { parseTime, TIME_HELP } from '../time-argument.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { describeDecision, NO_CLIENT, nextSteps } from './decision-text.ts'
import { printPage } from './page.ts'
import { dictatedReference } from './reference-argument.ts'

interface WhyOptions extends EngineOptions {
  readonly reference?: readonly string[]
  readonly client?: string
  readonly room?: string
  readonly user?: string
  readonly at?: string
  readonly page?: true
}

export function whyCommand(context: Context): Command {
  const command = createCommand(context, 'why', {
    purpose: 'Explains why a request is stopped or allowed, and what would change that.',
    details: `
By the URL, for a client, a user and a time; or by the reference on the
visitor's page, as long as the request is among the last 10,000 that this engine
has stopped since its start, or in the journal, which has no path. Its first
eight characters suffice, and neither spaces nor case count. With --at sessions,
permissions and switches are left out.
${TIME_HELP}

--page prints the address of the page that the visitor would get, instead of the
explanation. It requests a decision as a proxy does: the engine logs and counts
it, and starts a session if somebody proceeds on that page. Its token is that of
connectors and portals. The exit code is 1 if the engine allows the URL.
${ENGINE}`,
    examples: [
      'gatewayctl engine why https://casino.example/',
      'gatewayctl engine why https://casino.example/ --client 198.51.100.7 --user anna',
      "gatewayctl engine why https://casino.example/ --room 'room 12'",
      'gatewayctl engine why --reference 8jn9 gccn',
      'gatewayctl engine why --page https://casino.example/',
    ],
  })
    .argument('[url]', 'the URL that the visitor requested')
    .addOption(
      new Option('--reference <reference...>', "the reference on the visitor's page").conflicts([
        'client',
        'room',
        'user',
        'at',
        'page',
      ]),
    )
    .addOption(new Option('--client <address>', 'for this client address').conflicts('room'))
    .addOption(new Option('--room <name>', "for an address in this room of the policy's [rooms]"))
    .addOption(new Option('--user <name>', 'for this user'))
    .addOption(new Option('--at <time>', 'at this time').argParser((text) => parseTime(text, context)))
    .addOption(new Option('--page', 'print the address of the page instead').conflicts('at'))
  return withEngineOptions(command).action(async (url: string | undefined, options: WhyOptions) => {
    const { reference, client, room, user, at, page } = options
    if ((url === undefined) === (reference === undefined)) {
      throw new Failure('name either a URL or --reference', EXIT_MISUSED)
    }
    const where = room === undefined ? { client: client ?? NO_CLIENT } : { room }
    if (url !== undefined && page) {
      const address = client ?? (room === undefined ? NO_CLIENT : await addressIn(context, options, url, room))
      return await printPage(context, options, { url, client: address, user })
    }
    const question = reference === undefined ? { url, ...where, user, at } : { reference: dictatedReference(reference) }
    const connection = await findEngine(context, options)
    const explanation = await callEngine(connection, 'why', question)
    if (options.json) {
      context.stdout.write(`${printableJson(explanation, 2)}\n`)
      return
    }
    context.stdout.write(describeDecision(context, explanation))
    if (reference === undefined && client === undefined && room === undefined) {
      context.stderr.write('Without --client or --room: rules that name clients or rooms do not match.\n')
    }
    context.stderr.write(nextSteps(context, explanation))
  })
}

/** The engine has the rooms: a decision call names an address. */
async function addressIn(context: Context, options: EngineOptions, url: string, room: string): Promise<string> {
  const { request } = await callEngine(await findEngine(context, options), 'why', { url, room })
  return request.client
}
