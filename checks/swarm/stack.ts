// Deploys the shipped stack on this machine's Docker, as a swarm of one node, on free ports and with a reference
// engine. Removes everything afterwards.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { freePort } from '../../test/support/free-port.ts'

interface Images {
  readonly portal: string
  readonly terminator: string
  readonly engine: string
  readonly postgresql: string
}

export type SwarmStack = Awaited<ReturnType<typeof deploySwarm>>

const DEPLOY = join(import.meta.dirname, '../../deploy/swarm')
const [PATIENCE_MS, REMOVAL_MS] = [600_000, 30_000]

export async function deploySwarm(images: Images) {
  const name = `captive-check-${process.pid}`
  const number = `check-${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), 'swarm-check-'))
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true })]
  const remove = async () => {
    // Networks and secrets stay in use until the last container has been removed.
    for (const step of undo.splice(0).reverse()) await retry(step, REMOVAL_MS).catch(() => {})
  }
  try {
    if ((await docker('info', '--format', '{{.Swarm.LocalNodeState}}')).trim() === 'inactive') {
      await docker('swarm', 'init', '--advertise-addr', '127.0.0.1')
      undo.push(() => docker('swarm', 'leave', '--force'))
    }
    const node = (await docker('info', '--format', '{{.Swarm.NodeID}}')).trim()
    for (const label of ['captive.terminator', 'captive.postgresql']) {
      await docker('node', 'update', '--label-add', `${label}=true`, node)
      undo.push(() => docker('node', 'update', '--label-rm', label, node))
    }

    const [http, https, control] = [await freePort(), await freePort(), await freePort()]
    const sharedSecret = randomBytes(32).toString('base64url')
    const password = randomBytes(16).toString('hex')
    const apiToken = randomBytes(32).toString('base64url')
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o644 })
      return ['--volume', `${join(folder, name)}:/run/secrets/${name}:ro`]
    }
    const engine = `${name}-engine`
    const base = `https://localhost:${https}`
    await docker(
      ...['run', '--detach', '--name', engine, '--publish', `127.0.0.1:${control}:11225`],
      ...['--env', `GATEWAY_CAPTIVE_BASE_URL=${base}`],
      ...[...file('shared-secret', sharedSecret), ...file('engine-api-token', apiToken), images.engine],
      ...['--config', '/app/src/engine/sample-policy.toml', '--listen', '0.0.0.0:11225', '--publish', '/published'],
      ...['--secret-file', '/run/secrets/shared-secret', '--api-token-file', '/run/secrets/engine-api-token'],
    )
    undo.push(() => docker('rm', '--force', engine))
    const published = (file: string) => retry(() => docker('exec', engine, 'cat', `/published/${file}`), PATIENCE_MS)
    const ca = await published('ca/ca.crt')

    const secrets = {
      'shared-secret': sharedSecret,
      'secret-key': randomBytes(32).toString('base64url'),
      'engine-api-token': apiToken,
      'database-password': password,
      'database-url': `postgresql://portal:${password}@postgresql:5432/portal?sslmode=disable`,
      'portal-crt': await published('terminator/portal.crt'),
      'portal-key': await published('terminator/portal.key'),
    }
    for (const [secret, value] of Object.entries(secrets)) await create('secret', secret, value)
    await create('config', 'interception-ca', ca)

    const stack = parse(readFileSync(join(DEPLOY, 'stack.yaml'), 'utf8'))
    stack.services.terminator.ports[0].published = http
    stack.services.terminator.ports[1].published = https
    writeFileSync(join(folder, 'stack.yaml'), stringify(stack))
    const settings = [`GATEWAY_CAPTIVE_BASE_URL=${base}`, 'GATEWAY_CAPTIVE_HOSTNAME=localhost']
    settings.push('ENGINE_INTERNAL_URL=https://engine:11225', 'ENGINE_SIGNATURE_MAX_AGE_SECONDS=3600')
    writeFileSync(join(folder, 'portal.env'), `${settings.join('\n')}\n`)
    const files = ['-c', join(folder, 'stack.yaml'), '-c', join(DEPLOY, 'postgresql.yaml')]
    await run('docker', ['stack', 'deploy', '--resolve-image', 'never', ...files, name], {
      TERMINATOR_IMAGE: images.terminator,
      PORTAL_IMAGE: images.portal,
      POSTGRESQL_IMAGE: images.postgresql,
      // The load comes from one address, which would be limited.
      TERMINATOR_UNLIMITED: '0.0.0.0/0',
      ...Object.fromEntries(
        ['SHARED_SECRET', 'SECRET_KEY', 'ENGINE_API_TOKEN', 'DATABASE_URL', 'DATABASE_PASSWORD', 'LEAF', 'CA'].map(
          (one) => [`${one}_NUMBER`, number],
        ),
      ),
    })
    undo.push(() => docker('volume', 'rm', `${name}_postgresql`))
    undo.push(() => docker('stack', 'rm', name))
    await docker('network', 'connect', '--alias', 'engine', `${name}_services`, engine)
    undo.push(() => docker('network', 'disconnect', '--force', `${name}_services`, engine))

    const service = (one: string) => `${name}_${one}`
    const found = {
      /** The port for visitors. */
      port: https,
      engineUrl: `https://localhost:${control}`,
      ...{ apiToken, ca, docker, service, containers, remove },
      engineLog: () => docker('logs', engine),
      /** Builds another image of the portal: a new version, or one that cannot start. */
      async variant(tag: string, instruction: string) {
        const image = `${name}:${tag}`
        writeFileSync(join(folder, 'Dockerfile'), `FROM ${images.portal}\n${instruction}\n`)
        await docker('build', '--quiet', '--tag', image, folder)
        undo.unshift(() => docker('rmi', '--force', image))
        return image
      },
      /** Waits until this many of a service's containers are healthy, and no others run. */
      async settled(one: string, count: number) {
        await retry(async () => {
          const healthy = await listed(one, 'health=healthy')
          if (healthy.length !== count || (await containers(one)).length !== count)
            throw new Error(`${one} has not settled`)
        }, PATIENCE_MS)
      },
    }
    await found.settled('portal', 3)
    return found

    async function create(kind: 'secret' | 'config', what: string, value: string): Promise<void> {
      const file = join(folder, 'value')
      writeFileSync(file, value, { mode: 0o600 })
      await docker(kind, 'create', `captive-${what}-${number}`, file)
      rmSync(file)
      undo.push(() => docker(kind, 'rm', `captive-${what}-${number}`))
    }

    async function containers(one: string) {
      return await listed(one, 'status=running')
    }

    async function listed(one: string, filter: string): Promise<readonly string[]> {
      const label = `label=com.docker.swarm.service.name=${service(one)}`
      return (await docker('ps', '--quiet', '--filter', label, '--filter', filter)).split('\n').filter(Boolean)
    }
  } catch (error) {
    await remove()
    throw error
  }
}

async function docker(...args: string[]): Promise<string> {
  return await run('docker', args)
}

function run(command: string, args: string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'utf8', maxBuffer: 1 << 30, env: { ...process.env, ...more } } as const
    execFile(command, args, options, (error, output, errors) => {
      if (error === null) resolve(output + (args[0] === 'logs' ? errors : ''))
      else reject(new Error(`${command} ${args.slice(0, 3).join(' ')}: ${errors.trim() || error.message}`))
    })
  })
}

async function retry<T>(work: () => T | Promise<T>, milliseconds: number): Promise<T> {
  for (const deadline = Date.now() + milliseconds; ; await sleep(500)) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
