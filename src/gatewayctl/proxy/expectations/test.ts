// `proxy test`: sends the policy's expectations through the proxy, and writes a sheet for the school's records.
import { connect, isIP } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import packageJson from '#package' with { type: 'json' }
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { portalVariables } from '../../deployment/portal-variables.ts'
import type { Finding } from '../../doctor/finding.ts'
import { type ForwardProxy, sendPlain } from '../../doctor/proxy.ts'
import { callEngine } from '../../engine/client.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { fileOutput } from '../../files/output.ts'
import { createLocalTime, operatorZone } from '../../local-time.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { createStyle } from '../../terminal/style.ts'
import { describeGateway, GATEWAY, type GatewayOptions, withGatewayOptions } from '../gateway.ts'
import { checkReached, newName, probe } from '../probe.ts'
import { checkDecisions } from '../uses-engine.ts'
import { expectedText, renderSheet, sentence } from './sheet.ts'
import { faultOf, NOTHING_SENT, type Tried, tryAll } from './try.ts'

interface TestOptions extends GatewayOptions {
  readonly output?: string
  readonly client?: string
}

export function proxyTestCommand(context: Context): Command {
  const command = createCommand(context, 'test', {
    purpose: 'Sends what the policy expects through the proxy, and writes a sheet.',
    details: `
Run it on the gateway, as root: it asks the engine about each [[expect]] of the
policy, with the token of administration. What the rules decide the same for
this machine, now, is sent through the proxy. What is not sent, such as a line
about a room's address, is on the sheet with the reason and what the rules
decide. A line that depends on the user is sent only with the credentials of
that user, by Basic authentication: with Kerberos alone, the proxy responds with
407. Sites get the requests that the policy allows; those that it stops are in
the audit log. The sheet, for the school's records, is a page of HTML; by
default filter-test-DATE-TIME.html, in the time zone of GATEWAY_TIMEZONE. The
exit code is 1 if anything differs, or if nothing was sent.
${GATEWAY}`,
    examples: [
      'gatewayctl proxy test',
      'gatewayctl proxy test --credentials anna-password --output anna.html',
      'gatewayctl proxy test --json | jq \'.lines[] | select(.result == "differs")\'',
    ],
  })
  return withGatewayOptions(command)
    .addOption(new Option('--output <file>', 'the sheet'))
    .addOption(
      new Option('--client <address>', "this machine's address, if the proxy sees another one").argParser(parseAddress),
    )
    .action(async (options: TestOptions) => {
      const gateway = await describeGateway(context, options)
      if ('reason' in gateway.engine) throw new Failure(gateway.engine.reason, EXIT_MISUSED)
      const seen = await probe(gateway)
      refuse(checkReached(gateway, seen))
      refuse(await checkDecisions(gateway, seen))
      const client = options.client ?? (await ownAddress(gateway.proxy))
      const user = await userOf(gateway.proxy)
      const { revision, expectations } = await callEngine(gateway.engine, 'expectations', { client, user })
      if (expectations.length === 0) throw new Failure('the policy has no [[expect]]: there is nothing to test')
      const env = portalVariables(context.env)
      const zone = operatorZone(context)
      const time = Temporal.Instant.fromEpochMilliseconds(context.clock()).toZonedDateTimeISO(zone)
      const tried = await tryAll(gateway, expectations, user, createLocalTime(context))
      const path =
        options.output ??
        `filter-test-${time.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', '-').replace(':', '')}.html`
      const facts = {
        organisation: env.GATEWAY_ORG_NAME?.trim() || undefined,
        time: `${time.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ')}, ${time.timeZoneId}`,
        ...{ proxy: gateway.name, engine: gateway.engine.url.origin, revision, client, user },
        version: packageJson.version,
      }
      const sheet = await fileOutput(path)
      await sheet.write(renderSheet(facts, tried, zone))
      await sheet.finish()
      const fault = faultOf(tried)
      if (options.json) {
        const lines = tried.map(({ listed, seen, result }) => ({ ...listed, seen, result }))
        context.stdout.write(`${printableJson({ ok: fault === undefined, ...facts, sheet: path, lines }, 2)}\n`)
      } else {
        // Also before the lines, which may be many.
        if (fault === NOTHING_SENT) context.stdout.write(`${sentence(fault)}\n`)
        context.stdout.write(describeLines(context, tried, zone))
        context.stderr.write(`The sheet is ${printable(path)}\n`)
      }
      if (fault !== undefined) throw new Failure(fault)
    })
}

function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It must be an IP address.')
  return text
}

/** @throws {Failure} with the advice */
function refuse({ state, detail, advice }: Finding): void {
  if (state === 'failing') throw new Failure(`${detail}${advice === undefined ? '' : `; ${advice}`}`)
}

/** Towards the proxy. */
async function ownAddress({ host, port }: ForwardProxy): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({ host, port, timeout: 10_000 })
  socket.once('connect', () => resolve(String(socket.localAddress).replace(/^::ffff:/, '')))
  socket.once('timeout', () => reject(new Failure('the proxy does not respond')))
  socket.on('error', (error) => reject(new Failure(`the proxy does not respond: ${error.message}`)))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}

/** The name of the credentials, where the proxy requires some: otherwise it names nobody. */
async function userOf(proxy: ForwardProxy): Promise<string | undefined> {
  const [, encoded] = /^Basic (.*)$/.exec(proxy.fields['Proxy-Authorization'] ?? '') ?? []
  if (encoded === undefined) return undefined
  const { status } = await sendPlain({ ...proxy, fields: {} }, { url: new URL(`http://${newName()}/`), headOnly: true })
  if (status !== 407) return undefined
  return Buffer.from(encoded, 'base64').toString().replace(/:.*$/s, '')
}

function describeLines(context: Context, tried: readonly Tried[], zone: string): string {
  const style = createStyle(context)
  const colours = { 'as expected': 'green', differs: 'red', 'not sent': 'yellow' } as const
  const lines = tried.map(({ listed, seen, result }) =>
    [
      `${style(colours[result], result.padEnd(11))}  ${printable(listed.url)}`,
      `    expected: ${printable(expectedText(listed, zone))}`,
      `    seen: ${printable(seen)}`,
    ].join('\n'),
  )
  return `${lines.join('\n')}\n`
}
