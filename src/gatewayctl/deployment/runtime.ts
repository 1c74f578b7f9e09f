// What runs the portal, behind one small interface: compose in its versions, podman, systemd.
import { join } from 'node:path'
import type { Environment } from '../../config/reading.ts'
import type { Context } from '../context.ts'
import { createFolder } from '../files/atomic-file.ts'
import { findComposeRuntime } from './compose.ts'
import type { Installation } from './installation.ts'
import type { Answers, Questions } from './probe.ts'
import { output, run } from './run-program.ts'
import { systemdRuntime } from './systemd.ts'

/** One container, or the service. */
export interface Instance {
  /** For people. */
  readonly name: string
  readonly running: boolean
  /** As what runs it says: running, exited, restarting. */
  readonly status: string
  /** What the health check of the container says, where it has one. */
  readonly health: string | undefined
  /** Of a process that has ended. */
  readonly exitCode: number | undefined
  /** How often it was started again by itself. */
  readonly restarts: number
  /** Another value after every start. */
  readonly startedAt: string
  readonly image: string | undefined
  /** What its process was started with. */
  readonly variables: Environment
  /** What it wrote last, the newest at the end. */
  lastLogLines(count: number): Promise<readonly string[]>
  /** Asks from where the portal itself is. @throws {Failure} */
  ask(questions: Questions): Promise<Answers>
}

export interface PortalRuntime {
  /** For people: docker compose, systemd. */
  readonly name: string
  /** All there are, running or not. @throws {Failure} when what runs them does not answer */
  instances(): Promise<readonly Instance[]>
  /** Ends the portal and starts it with what is configured now. @throws {Failure} */
  recreate(): Promise<void>
}

/** How the runtimes run their programs. */
export interface Commands {
  /** What it printed. @throws {Failure} */
  output(words: readonly string[], seconds?: number): Promise<string>
  run: (words: readonly string[], seconds?: number) => ReturnType<typeof run>
  /**
   * The same for one that changes something: it waits for the last such one, which goes on by itself where gatewayctl
   * was killed, and must not come after what is done now.
   */
  change(words: readonly string[], seconds: number): Promise<void>
}

/** The variable that switches the operator's policy. One in the environment would win over `.env` in compose. */
export const SWITCH = 'GATEWAY_CAPTIVE_AUP_ENABLED'

const QUESTION_SECONDS = 15

/** @throws {Failure} */
export async function findRuntime({ env }: Context, installation: Installation): Promise<PortalRuntime> {
  const { home, runBy } = installation
  const options = { cwd: home, env: { ...env, [SWITCH]: undefined } }
  const commands: Commands = {
    output: (words, seconds = QUESTION_SECONDS) => output(words, { ...options, seconds }),
    run: (words, seconds = QUESTION_SECONDS) => run(words, { ...options, seconds }),
    async change(words, seconds) {
      const lock = join(await workFolder(installation), 'engine.lock')
      // The program itself must not hold the lock: what it starts may stay.
      const waiting = ['flock', '--close', '--wait', `${seconds}`, '--conflict-exit-code', '201', lock]
      await output([...waiting, ...words], { ...options, seconds: 2 * seconds })
    },
  }
  return runBy.kind === 'systemd'
    ? systemdRuntime(commands, installation, runBy.unit)
    : await findComposeRuntime(commands, home, runBy.file)
}

/** Where gatewayctl keeps what it needs for itself. @throws {Failure} */
export async function workFolder({ home }: Installation): Promise<string> {
  const folder = join(home, '.gatewayctl')
  await createFolder(folder, 0o700)
  return folder
}
