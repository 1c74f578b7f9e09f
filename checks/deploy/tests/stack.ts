// Starts the shipped compose file as an operator would: a folder with compose.yaml, .env made from .env.example, and
// secrets. It uses free ports and images that were built before.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newSecret } from '../../../src/gatewayctl/secret/generate.ts'
import { commandBlocks } from '../../../test/deploy/command-blocks.ts'
import { run } from '../../../test/deploy/commands.ts'
import { gatewayctlProcess } from '../../../test/gatewayctl/gatewayctl.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { until } from '../../../test/support/until.ts'
import { images } from '../images.ts'
import { composeProgram, containersOf, docker, engineVariables, isHealthy, isPodman } from './docker.ts'

export const HOSTNAME = 'portal.example'

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url))
/** For podman (see docs/install.md): podman-compose of Debian 12 supports neither profiles nor subnets. */
const SERVICES = ['terminator', 'portal', 'engine']
const START_SECONDS = 180

export type Stack = Awaited<ReturnType<typeof startStack>>

interface StackOptions {
  /** Instead of the shipped one. */
  readonly portalImage?: string
  /** Starts the profile gateway. */
  readonly gateway?: {
    /** The content of policy.toml. */
    readonly policy: string
    /** PEM of the CA that the proxy trusts for origins. */
    readonly originCa: string
  }
}

export async function startStack({ portalImage = images.portal, gateway }: StackOptions = {}) {
  const home = mkdtempSync(join(tmpdir(), 'gateway-stack-'))
  const [httpPort, httpsPort, proxyPort] = [await freePort(), await freePort(), await freePort()]
  const baseUrl = `https://${HOSTNAME}:${httpsPort}`
  const subnet = `172.31.${httpPort % 250}.0/24`
  copyFileSync(join(DEPLOY, 'compose.yaml'), join(home, 'compose.yaml'))
  cpSync(join(DEPLOY, 'observability'), join(home, 'observability'), { recursive: true })
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
      ...(images.postgresql !== undefined && { POSTGRESQL_IMAGE: images.postgresql }),
      GATEWAY_INSIDE_SUBNET: subnet,
      ...(isPodman && { TERMINATOR_RESOLVER: subnet.replace(/0\/24$/, '1') }),
      GATEWAY_ORG_NAME: 'Northwind Institute',
      ...(gateway && {
        COMPOSE_PROFILES: 'gateway',
        GATEWAY_ENGINE_POLICY: '/etc/gateway-engine/policy.toml',
        PROXY_IMAGE: images.proxy,
        PROXY_PORT: `${proxyPort}`,
        // Docker forwards connections from this machine with an address of its own networks.
        PROXY_CLIENTS: '172.16.0.0/12 192.168.0.0/16',
        PROXY_HOSTS: '/etc/gateway-proxy/hosts',
        PROXY_ORIGIN_CA: '/etc/gateway-proxy/origin-ca.pem',
      }),
      // The line that .env.example comments out.
      GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////var/lib/portal/portal.db',
    }),
  )
  chmodSync(join(home, '.env'), 0o600)
  for (const name of ['aup', 'engine', 'proxy']) mkdirSync(join(home, name))
  if (gateway !== undefined) {
    writeFileSync(join(home, 'engine', 'policy.toml'), gateway.policy)
    writeFileSync(join(home, 'proxy', 'origin-ca.pem'), gateway.originCa)
    writeFileSync(join(home, 'proxy', 'hosts'), `${hostAddress()} ${HOSTNAME}\n`)
  }
  writeSecrets(join(home, 'secrets'))
  // As in a folder that an operator creates: others may list it.
  chmodSync(home, 0o755)

  const compose = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(composeProgram, args, { cwd: home, encoding: 'utf8' })
    assert.equal(status, 0, `${composeProgram} ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const remove = () => {
    spawnSync(composeProgram, ['down', '--volumes', '--timeout', '2'], { cwd: home })
    rmSync(home, { recursive: true, force: true })
  }

  const caFile = join(home, 'published-ca.crt')
  const container = (service: string) => containersOf(home, service)
  let known = 0
  const stack = {
    /** The deployment's folder. */
    home,
    ...{ httpPort, httpsPort, proxyPort, baseUrl },
    /** The published CA, and the file that holds it. */
    caFile,
    get ca() {
      return readFileSync(caFile, 'utf8')
    },
    /** Runs the container engine's compose in that folder. */
    compose,
    /** The id of a service's container. */
    container,
    /** The redirects that a connector would get for this URL, one for each of this many new clients. */
    verdicts(url: string, clients: number): readonly string[] {
      const trust = ['--env', 'NODE_EXTRA_CA_CERTS=/published/ca/ca.crt']
      const printed = docker('exec', ...trust, container('engine'), 'node', '-e', DECIDE, url, `${clients}`, `${known}`)
      known += clients
      return JSON.parse(printed)
    },
    /** Runs gatewayctl on this host, for this deployment. */
    gatewayctl: (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      gatewayctlProcess(args, {
        env: { GATEWAY_HOME: home, PATH: `${process.env.PATH}`, HOME: home, ...engineVariables, ...more },
      }),
    /** Runs gatewayctl in the portal's container. @returns its standard output */
    inside: (...args: readonly string[]) =>
      docker('exec', container('portal'), 'node', 'src/gatewayctl/main.ts', ...args),
    /** Runs the block of a page that contains this, in the deployment's folder. @returns its standard output */
    documented(page: string, part: string): string {
      const { text } = commandBlocks(page).find((block) => block.text.includes(part)) ?? assert.fail(part)
      mkdirSync(join(home, 'backup'), { recursive: true })
      // For podman as docs/install.md says.
      const adapted = isPodman
        ? text
            .replaceAll('$(docker compose ps -q portal)', `${basename(home).toLowerCase()}_portal_1`)
            .replaceAll('docker cp', 'podman cp')
            .replaceAll('up --detach', `$& ${SERVICES.join(' ')}`)
        : text
      const commands = adapted
        .replaceAll('docker compose', composeProgram)
        .replaceAll(/(?<=^| )\/backup/gm, join(home, 'backup'))
      return run(commands, { cwd: home, env: process.env, seconds: 300 }).stdout
    },
    /** Removes containers and volumes. */
    remove,
    /** Waits until the portal is healthy and the terminator forwards requests. */
    async ready() {
      const services = ['portal', ...(gateway === undefined ? [] : ['proxy'])]
      const isReady = async () =>
        services.every((service) => isHealthy(container(service))) && (await forwards(httpPort))
      await until(isReady, START_SECONDS, 250).catch(() =>
        assert.fail(`the stack did not start:\n${compose('logs', '--tail', '20')}`),
      )
    },
  }
  try {
    if (isPodman) {
      docker('network', 'create', '--internal', '--subnet', subnet, `${basename(home).toLowerCase()}_inside`)
      const { text } =
        commandBlocks('docs/install.md').find((block) => block.text.includes('podman-compose up')) ?? assert.fail()
      const [edit = assert.fail()] = /^sed .*(?= \/etc\/gateway\/compose\.yaml$)/m.exec(text) ?? []
      run(`${edit} compose.yaml`, { cwd: home, env: process.env })
    }
    compose('up', '--detach', '--no-build', ...(isPodman ? SERVICES : []))
    await stack.ready()
    writeFileSync(caFile, docker('exec', container('portal'), 'cat', '/run/gateway/ca/ca.crt'))
    return stack
  } catch (error) {
    remove()
    throw error
  }
}

/**
 * The address at which containers reach this machine. Read in a container: `docker network inspect` leaves the bridge's
 * gateway out after some starts of the engine.
 */
function hostAddress(): string {
  const routes = docker('run', '--rm', '--network', 'bridge', '--entrypoint', 'cat', images.base, '/proc/net/route')
  // Interface, destination and gateway; addresses are hexadecimal, last byte first.
  const [, gateway] = /^\S+\s+00000000\s+([0-9A-F]{8})\s/m.exec(routes) ?? []
  assert.ok(gateway !== undefined, `no default route in:\n${routes}`)
  return [...Buffer.from(gateway, 'hex').reverse()].join('.')
}

/** As docs/install.md describes: only the operator can open the folder, and each file is readable by its users. */
function writeSecrets(folder: string): void {
  mkdirSync(folder, { mode: 0o700 })
  for (const name of ['shared-secret', 'secret-key', 'engine-api-token', 'icap-token', 'database-password']) {
    writeFileSync(join(folder, name), `${newSecret()}\n`, { mode: 0o440 })
  }
  // In a container, because the user who runs this need not be root.
  const own = [
    'chown 10001:10002 /secrets/*',
    'chown 10003:10002 /secrets/icap-token',
    'chown 10001:999 /secrets/database-password',
  ]
  const mount = ['--user', '0:0', '--volume', `${folder}:/secrets`, '--network', 'none']
  docker('run', '--rm', ...mount, '--entrypoint', 'sh', images.portal, '-ec', own.join('\n'))
}

/** @returns `.env.example` with these values, which replace values or commented lines */
function withValues(example: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [name, value]) => {
    const line = new RegExp(`^#?${name}=.*$`, 'm')
    assert.match(text, line)
    return text.replace(line, () => `${name}=${value}`)
  }, example)
}

/** Requests decisions from inside the engine's container: it publishes no port. */
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

async function forwards(httpPort: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/ca`).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status === 200
}
