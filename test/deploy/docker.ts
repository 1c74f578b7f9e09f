// The words of docker, for tests: what they print, or a failure with what they said.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'

export function docker(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('docker', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  assert.equal(status, 0, `docker ${words.join(' ').slice(0, 300)}: ${stderr}`)
  return stdout.trim()
}

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
    readonly Tmpfs: Readonly<Record<string, string>> | null
  }
  readonly Mounts: readonly { readonly Type: string; readonly Destination: string; readonly RW: boolean }[]
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>> }
}
