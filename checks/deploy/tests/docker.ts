// The words of docker, for tests: what they print, or a failure with what they said. Where CONTAINER_ENGINE says podman,
// it is podman that is told them.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { basename } from 'node:path'

const { CONTAINER_ENGINE: program = 'docker' } = process.env
export const isPodman = program === 'podman'

/** The compose that goes with it: of Docker's the one of old, which Debian 12 ships. */
export const composeProgram = isPodman ? 'podman-compose' : 'docker-compose'

/** How the programs find the engine: what a test hands on to what it starts. */
export const engineVariables = Object.fromEntries(
  ['DOCKER_HOST', 'CONTAINERS_CONF', 'CONTAINERS_STORAGE_CONF', 'DISABLE_HC_SYSTEMD'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

export function docker(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  assert.equal(status, 0, `${program} ${words.join(' ').slice(0, 300)}: ${stderr}`)
  return stdout.trim()
}

/** Runs words beside the test; for what takes a while. */
export async function dockerMeanwhile(...words: readonly string[]): Promise<void> {
  const child = spawn(program, words, { stdio: 'ignore' })
  const status = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(status, 0, `${program} ${words.join(' ')}`)
}

/** Ids of a service's containers, of the deployment in that folder. */
export function containersOf(home: string, service: string): string {
  const labels = { project: basename(home).toLowerCase(), service }
  const filters = Object.entries(labels).flatMap(([name, value]) => [
    '--filter',
    `label=com.docker.compose.${name}=${value}`,
  ])
  return docker('ps', '--all', '--quiet', '--no-trunc', ...filters)
}

/** What the health check of the image says. */
export function isHealthy(container: string): boolean {
  // Podman has systemd ask, where there is one.
  if (isPodman) return spawnSync(program, ['healthcheck', 'run', container]).status === 0
  return docker('inspect', '--format', '{{.State.Health.Status}}', container) === 'healthy'
}

/**
 * What a rollback may take: a minute, or longer by as much as there are more programs that wait for a CPU than CPUs.
 */
export const rollbackSeconds = (): number => 60 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())

export function inspect(name: string): Inspected {
  return JSON.parse(docker('inspect', name))[0]
}

/** Of a container or an image, what the tests look at. */
export interface Inspected {
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
  readonly State: { readonly Status: string; readonly Health?: { readonly Status: string } }
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
