// Runs docker for tests: returns its output, or fails with its errors. With CONTAINER_ENGINE=podman it runs podman.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { basename } from 'node:path'

const { CONTAINER_ENGINE: program = 'docker' } = process.env
export const isPodman = program === 'podman'

/** The matching compose program; for Docker it is the old one, which Debian 12 ships. */
export const composeProgram = isPodman ? 'podman-compose' : 'docker-compose'

/** The environment variables that lead to the engine; tests pass them to the programs that they start. */
export const engineVariables = Object.fromEntries(
  ['DOCKER_HOST', 'CONTAINERS_CONF', 'CONTAINERS_STORAGE_CONF', 'DISABLE_HC_SYSTEMD'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

export function docker(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  assert.equal(status, 0, `${program} ${args.join(' ').slice(0, 300)}: ${stderr}`)
  return stdout.trim()
}

/** Runs a slow command without blocking the test. */
export async function dockerAsync(...args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' })
  const status = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(status, 0, `${program} ${args.join(' ')}`)
}

/** @returns ids of a service's containers, in the deployment of this folder */
export function containersOf(home: string, service: string): string {
  const labels = { project: basename(home).toLowerCase(), service }
  const filters = Object.entries(labels).flatMap(([name, value]) => [
    '--filter',
    `label=com.docker.compose.${name}=${value}`,
  ])
  return docker('ps', '--all', '--quiet', '--no-trunc', ...filters)
}

/** @returns the result of the image's health check */
export function isHealthy(container: string): boolean {
  // Podman leaves health checks to systemd, which may be missing.
  if (isPodman) return spawnSync(program, ['healthcheck', 'run', container]).status === 0
  return docker('inspect', '--format', '{{.State.Health.Status}}', container) === 'healthy'
}

/**
 * The limit for a rollback: a minute, or longer in proportion when more programs wait for a CPU than there are CPUs.
 */
export const rollbackSeconds = (): number => 60 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())

export function inspect(name: string): Inspected {
  return JSON.parse(docker('inspect', name))[0]
}

/** Read-only, without capabilities or new privileges, within limits, and not root. */
export function assertConfined(container: string, user: RegExp): void {
  const { HostConfig, Config } = inspect(container)
  assert.deepEqual([HostConfig.ReadonlyRootfs, HostConfig.Privileged], [true, false])
  assert.deepEqual([HostConfig.CapDrop, HostConfig.CapAdd ?? []], [['ALL'], []])
  assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges:true'])
  assert.ok(HostConfig.Memory > 0 && HostConfig.PidsLimit > 0)
  assert.equal(HostConfig.RestartPolicy.Name, 'unless-stopped')
  assert.match(Config.User, user)
}

/** @returns the names of a container's networks, as in compose.yaml */
export function networksOf(container: string): readonly string[] {
  const names = Object.keys(inspect(container).NetworkSettings.Networks)
  return names.map((name) => name.replace(/^.*_/, '')).toSorted()
}

/** The properties of a container, an image or a network that the tests check. */
interface Inspected {
  readonly Internal: boolean
  readonly Size: number
  readonly RootFS: { readonly Layers: readonly string[] }
  readonly Config: {
    readonly User: string
    readonly Labels: Readonly<Record<string, string>>
    readonly Healthcheck: { readonly Test: readonly string[] }
    readonly ExposedPorts: Readonly<Record<string, unknown>>
    readonly Entrypoint: readonly string[]
    readonly Env: readonly string[]
  }
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean
    readonly CapDrop: readonly string[] | null
    readonly CapAdd: readonly string[] | null
    readonly SecurityOpt: readonly string[] | null
    readonly Privileged: boolean
    readonly Memory: number
    readonly PidsLimit: number
    readonly PortBindings: Readonly<Record<string, readonly { readonly HostPort: string }[]>>
    readonly RestartPolicy: { readonly Name: string }
    readonly LogConfig: { readonly Config: Readonly<Record<string, string>> }
  }
  readonly Mounts: readonly { readonly Type: string; readonly Destination: string; readonly RW: boolean }[]
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>> }
}
