// The shipped compose file, brought up as an operator would: a folder with compose.yaml, .env made of .env.example, and
// secrets. The ports are free ones; the images are those that were built before.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newSecret } from '../../../src/gatewayctl/secret/generate.ts'
import { type Ended, gatewayctl } from '../../../test/gatewayctl/gatewayctl.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { composeProgram, containersOf, docker, engineVariables, isHealthy, isPodman } from './docker.ts'
import { images } from './images.ts'

export const HOSTNAME = 'portal.example'

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url))
/** What podman wants besides stands in docs/install.md: its compose of Debian 12 knows neither profiles nor subnets. */
const SERVICES = ['terminator', 'portal', 'engine']
const START_SECONDS = 180

export interface Stack {
  /** The deployment's folder. */
  readonly home: string
  readonly httpPort: number
  readonly httpsPort: number
  readonly baseUrl: string
  /** PEM of the published CA, and the file that holds it. */
  readonly ca: string
  readonly caFile: string
  /** The engine's compose in that folder. */
  compose(...words: readonly string[]): string
  /** The id of a service's container. */
  container(service: string): string
  /** The redirects that a connector would get: for this address, one for each of so many clients that never came before. */
  verdicts(url: string, clients: number): readonly string[]
  /** The operator's command, on this host, for this deployment. */
  gatewayctl(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>
  /** The operator's command in the portal's container; its standard output. */
  inside(...args: readonly string[]): string
  /** Waits until the container is healthy and the terminator passes on. */
  ready(): Promise<void>
  /** With its volumes. */
  remove(): void
}

export interface StackOptions {
  /** Instead of the shipped one. */
  readonly portalImage?: string
  /** With PostgreSQL, from the profile of that name. */
  readonly hasPostgresql?: true
  /** Whether the ledger is on its volume, and not the image's own. */
  readonly isPersistent?: boolean
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { portalImage = images.portal, hasPostgresql, isPersistent = true } = options
  const home = mkdtempSync(join(tmpdir(), 'gateway-stack-'))
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const baseUrl = `https://${HOSTNAME}:${httpsPort}`
  const databasePassword = newSecret()
  const subnet = `172.31.${httpPort % 250}.0/24`
  // Whole: docker-compose 1.29 wants the folders that it would build from.
  cpSync(DEPLOY, home, { recursive: true })
  writeFileSync(
    join(home, '.env'),
    withValues(readFileSync(join(DEPLOY, '.env.example'), 'utf8'), {
      GATEWAY_CAPTIVE_HOSTNAME: HOSTNAME,
      GATEWAY_CAPTIVE_HTTP_PORT: `${httpPort}`,
      GATEWAY_CAPTIVE_HTTPS_PORT: `${httpsPort}`,
      GATEWAY_CAPTIVE_BASE_URL: baseUrl,
      PORTAL_IMAGE: portalImage,
      ENGINE_IMAGE: images.engine,
      TERMINATOR_IMAGE: images.terminator,
      GATEWAY_INSIDE_SUBNET: subnet,
      ...(isPodman && { TERMINATOR_RESOLVER: subnet.replace(/0\/24$/, '1') }),
      GATEWAY_ORG_NAME: 'Northwind Institute',
      // The line that .env.example comments out.
      ...(isPersistent && { GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////var/lib/portal/portal.db' }),
      ...(hasPostgresql && {
        COMPOSE_PROFILES: 'demo,postgresql',
        POSTGRESQL_IMAGE: images.postgresql,
        GATEWAY_CAPTIVE_DATABASE_URL: `postgresql://portal:${databasePassword}@postgresql:5432/portal`,
      }),
    }),
  )
  chmodSync(join(home, '.env'), 0o600)
  mkdirSync(join(home, 'aup'))
  writeSecrets(join(home, 'secrets'), hasPostgresql ? databasePassword : undefined)
  // As in a folder that an operator makes: others may look into it.
  chmodSync(home, 0o755)

  const compose = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(composeProgram, words, { cwd: home, encoding: 'utf8' })
    assert.equal(status, 0, `${composeProgram} ${words.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const remove = () => {
    spawnSync(composeProgram, ['down', '--volumes', '--timeout', '2'], { cwd: home })
    rmSync(home, { recursive: true, force: true })
  }

  const caFile = join(home, 'published-ca.crt')
  const container = (service: string) => containersOf(home, service)
  let known = 0
  const stack: Stack = {
    home,
    httpPort,
    httpsPort,
    baseUrl,
    caFile,
    get ca() {
      return readFileSync(caFile, 'utf8')
    },
    compose,
    container,
    verdicts(url, clients) {
      const trust = ['--env', 'NODE_EXTRA_CA_CERTS=/published/ca/ca.crt']
      const printed = docker('exec', ...trust, container('engine'), 'node', '-e', DECIDE, url, `${clients}`, `${known}`)
      known += clients
      return JSON.parse(printed)
    },
    gatewayctl: (args, env = {}) =>
      gatewayctl(args, {
        env: {
          GATEWAY_HOME: home,
          PATH: `${process.env.PATH}`,
          HOME: home,
          ...engineVariables,
          ...env,
        },
      }),
    inside: (...args) => docker('exec', container('portal'), 'node', 'src/gatewayctl/main.ts', ...args),
    remove,
    async ready() {
      for (const deadline = Date.now() + START_SECONDS * 1000; ; await sleep(250)) {
        if (isHealthy(container('portal')) && (await passesOn(httpPort))) return
        assert.ok(Date.now() < deadline, `the stack does not come up:\n${compose('logs', '--tail', '20')}`)
      }
    },
  }
  try {
    if (isPodman)
      docker('network', 'create', '--internal', '--subnet', subnet, `${basename(home).toLowerCase()}_inside`)
    compose('up', '--detach', '--no-build', ...(isPodman ? SERVICES : []))
    await stack.ready()
    writeFileSync(caFile, docker('exec', container('portal'), 'cat', '/run/gateway/ca/ca.crt'))
    return stack
  } catch (error) {
    remove()
    throw error
  }
}

/** As docs/install.md has them made: the folder is the operator's alone, each file its users'. */
function writeSecrets(folder: string, databasePassword: string | undefined): void {
  mkdirSync(folder, { mode: 0o700 })
  const secrets = {
    'shared-secret': newSecret(),
    'secret-key': newSecret(),
    'engine-api-token': newSecret(),
    ...(databasePassword !== undefined && { 'database-password': databasePassword }),
  }
  for (const [name, secret] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), `${secret}\n`, { mode: 0o440 })
  }
  // In a container: the user who may start one need not be root.
  const own = [
    'chown 10001:10002 /secrets/*',
    '[ ! -e /secrets/database-password ] || chown 999:999 /secrets/database-password',
  ]
  const mount = ['--user', '0:0', '--volume', `${folder}:/secrets`, '--network', 'none']
  docker('run', '--rm', ...mount, '--entrypoint', 'sh', images.portal, '-ec', own.join('\n'))
}

/** What `.env.example` says, with these values in place of its own or of what is commented out. */
function withValues(example: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [name, value]) => {
    const line = new RegExp(`^#?${name}=.*$`, 'm')
    assert.match(text, line)
    return text.replace(line, () => `${name}=${value}`)
  }, example)
}

/** Asks the engine from inside of its container: for the visitor's browser it does not exist. */
const DECIDE = `
const [url, clients, known] = process.argv.slice(1)
const authorization = 'Bearer ' + require('node:fs').readFileSync('/run/secrets/engine-api-token', 'utf8').trim()
Promise.all(Array.from({ length: Number(clients) }, async (_, index) => {
  const at = index + Number(known)
  const client = '198.51.' + (100 + Math.floor(at / 250)) + '.' + (1 + at % 250)
  const response = await fetch('https://127.0.0.1:11225/api/decision', {
    method: 'POST', headers: { 'content-type': 'application/json', authorization }, body: JSON.stringify({ url, client }),
  })
  return (await response.json()).redirect
})).then((redirects) => console.log(JSON.stringify(redirects)))`

async function passesOn(httpPort: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/ca`).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status === 200
}
