// One interface to what runs the portal: compose in its versions, podman, systemd.
import { join } from 'node:path'
import type { Environment } from '../../settings/reading.ts'
import { createFolder } from '../files/atomic-file.ts'
import type { Installation } from './installation.ts'
import type { ProbeRequest, ProbeResult } from './probe.ts'
import type { run } from './run-program.ts'

/** One container, or the service. */
export interface Instance {
  /** For display. */
  readonly name: string
  readonly running: boolean
  /** The runtime's own term: running, exited, restarting. */
  readonly status: string
  /** The container's health check, if it has one. */
  readonly health: string | undefined
  /** Of a process that has exited. */
  readonly exitCode: number | undefined
  /** Automatic restarts so far. */
  readonly restarts: number
  /** Changes with every start. */
  readonly startedAt: string
  readonly image: string | undefined
  /** The environment its process was started with. */
  readonly variables: Environment
  /** The newest line is the last one. */
  lastLogLines(count: number): Promise<readonly string[]>
  /** Runs checks where the portal runs. @throws {Failure} */
  probe(request: ProbeRequest): Promise<ProbeResult>
}

export interface PortalRuntime {
  /** For display: docker compose, systemd. */
  readonly name: string
  /** Running or not. @throws {Failure} when the runtime does not respond */
  instances(): Promise<readonly Instance[]>
  /** Stops the portal and starts it with the current configuration. @throws {Failure} */
  recreate(): Promise<void>
}

/** Runs the runtimes' programs. */
export interface Commands {
  /** @returns standard output. @throws {Failure} */
  output(words: readonly string[], seconds?: number): Promise<string>
  run: (words: readonly string[], seconds?: number) => ReturnType<typeof run>
  /**
   * For a program that changes something. It waits for the previous one, which continues when gatewayctl is killed, and would
   * otherwise undo this change.
   */
  change(words: readonly string[], seconds: number): Promise<void>
}

/** Turns the operator's policy on. In compose a value in the environment would override `.env`. */
export const SWITCH = 'GATEWAY_CAPTIVE_AUP_ENABLED'

/** The folder for drafts and the runtime's lock. @throws {Failure} */
export async function workFolder({ home }: Installation): Promise<string> {
  const folder = join(home, '.gatewayctl')
  await createFolder(folder, 0o700)
  return folder
}
