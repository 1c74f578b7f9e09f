// `portal doctor`: checks a deployment from outside, as a visitor's browser would, and gives advice.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseHostAndPort } from '../../../config/host-and-port.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { PORTAL_VARIABLES } from '../../deployment/portal-variables.ts'
import { Failure } from '../../failure.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { createStyle } from '../../terminal/style.ts'
import { checkAddress, checkDns } from './address.ts'
import { checkCertificatePage, checkDownloads } from './certificate.ts'
import { checkClocks } from './clock.ts'
import { type Connect, type Deployment, describeDeployment } from './deployment.ts'
import { bad, type Finding } from './finding.ts'
import { checkHeaders, checkHealth, checkTls } from './https.ts'
import { checkPlainCertificatePage, checkRedirects } from './plain-http.ts'
import { checkProxy } from './proxy.ts'

interface DoctorOptions {
  readonly connectHttp?: Connect
  readonly connectHttps?: Connect
  readonly json?: true
}

type Check = (deployment: Deployment, context: Context) => Found | Promise<Found>
type Found = Finding | readonly Finding[] | undefined

/** The key names a check that throws. */
const CHECKS: Readonly<Record<string, Check>> = {
  address: checkAddress,
  dns: checkDns,
  'http-redirect': checkRedirects,
  'http-ca': checkPlainCertificatePage,
  tls: (deployment, { clock }) => checkTls(deployment, clock()),
  health: checkHealth,
  headers: checkHeaders,
  'ca-page': checkCertificatePage,
  'ca-downloads': checkDownloads,
  clock: (deployment, { clock }) => checkClocks(deployment, clock),
  proxy: (deployment, { env }) => checkProxy(deployment, env),
}

const MAXIMUM_CHARACTERS = 400
/** Indentation below `tried: ` and `to do: `. */
const FOLD = 7

export function examineDeployment(context: Context): Command {
  return createCommand(context, 'doctor', {
    purpose: 'Checks a deployment from outside, as a browser would, and gives advice.',
    details: `
It compares the portal's variables with the published address: name, plain-http
port, certificate, health, headers, the certificate page and its downloads,
clocks, and the environment's proxy. The exit code is 1 when something is wrong.
${PORTAL_VARIABLES}`,
    examples: [
      'gatewayctl portal doctor',
      'gatewayctl portal doctor --json | jq \'.findings[] | select(.result == "bad")\'',
      'gatewayctl portal doctor --connect-http 192.0.2.7:80 --connect-https 192.0.2.7:443',
    ],
  })
    .addOption(
      new Option('--connect-http <host:port>', 'connect there for plain http, whatever the name resolves to').argParser(
        parseConnect,
      ),
    )
    .addOption(new Option('--connect-https <host:port>', 'the same for https').argParser(parseConnect))
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async ({ connectHttp, connectHttps, json }: DoctorOptions) => {
      const deployment = await describeDeployment(context, {
        ...(connectHttp !== undefined && { http: connectHttp }),
        ...(connectHttps !== undefined && { https: connectHttps }),
      })
      const findings = (
        await Promise.all(Object.entries(CHECKS).map(([name, check]) => runCheck(name, check, deployment, context)))
      ).flat()
      const wrong = findings.filter(({ result }) => result === 'bad').length
      context.stdout.write(json ? `${printableJson({ ok: wrong === 0, findings }, 2)}\n` : described(context, findings))
      if (wrong > 0) throw new Failure(`${wrong} of ${findings.length} checks found something wrong`)
    })
}

function parseConnect(text: string): Connect {
  const connect = parseHostAndPort(text)
  if (connect === undefined) throw new InvalidArgumentError('It must be HOST:PORT, an IPv6 address in brackets.')
  return connect
}

async function runCheck(
  name: string,
  check: Check,
  deployment: Deployment,
  context: Context,
): Promise<readonly Finding[]> {
  try {
    return [await check(deployment, context)].flat().filter((finding) => finding !== undefined)
  } catch (error) {
    return [
      bad(
        name,
        `${deployment.plainOrigin} and ${deployment.address.baseUrl}`,
        (error as Error).message,
        'check that the terminator runs and publishes this port, and that no firewall blocks it; --connect-http and --connect-https connect to it directly',
      ),
    ]
  }
}

const COLOURS = { good: 'green', bad: 'red', skipped: 'yellow' } as const

function described(context: Context, findings: readonly Finding[]): string {
  const style = createStyle(context)
  const width = Math.max(...findings.map(({ check }) => check.length))
  const indent = ' '.repeat(9)
  return findings
    .map(({ check, result, tried, seen, advice }, at) => {
      const head = `${style(COLOURS[result], result.padEnd(7))}  ${check.padEnd(width)}  ${shortened(seen)}\n`
      if (advice === undefined) return head
      // A terminator that does not respond fails most checks with the same advice.
      const isSaid = findings.slice(0, at).some((other) => other.advice === advice && other.tried === tried)
      if (isSaid) return `${head}${indent}to do: as above\n`
      return `${head}${indent}${folded(`tried: ${shortened(tried)}`)}\n${indent}${folded(`to do: ${shortened(advice)}`)}\n`
    })
    .join('')

  /** Wraps at the width of the terminal, or 80, between words: addresses can be copied. */
  function folded(text: string): string {
    const room = (context.stdout.columns || 80) - indent.length
    let column = 0
    const words = text.split(' ').map((word, at) => {
      const isNext = at > 0 && column + 1 + word.length > room
      column = isNext ? FOLD + word.length : column + (at > 0 ? 1 : 0) + word.length
      return isNext ? `\n${indent}${' '.repeat(FOLD)}${word}` : `${at > 0 ? ' ' : ''}${word}`
    })
    return words.join('')
  }
}

function shortened(text: string): string {
  const characters = [...printable(text)]
  return characters.length <= MAXIMUM_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAXIMUM_CHARACTERS).join('')}…`
}
