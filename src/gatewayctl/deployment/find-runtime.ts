// Finds the runtime of an installation's portal.
import { join } from 'node:path'
import type { Environment } from '../../settings/reading.ts'
import type { Context } from '../context.ts'
import { findComposeRuntime } from './compose.ts'
import type { Installation } from './installation.ts'
import { output, run } from './run-program.ts'
import { type Commands, type PortalRuntime, SWITCH, workFolder } from './runtime.ts'
import { systemdRuntime } from './systemd.ts'

const QUERY_SECONDS = 15

/** @throws {Failure} */
export async function findRuntime({ env }: Context, installation: Installation): Promise<PortalRuntime> {
  const { home, runBy } = installation
  const options = { cwd: home, env: { ...env, [SWITCH]: undefined } }
  const commands: Commands = {
    output: (words, seconds = QUERY_SECONDS) => output(words, { ...options, seconds }),
    run: (words, seconds = QUERY_SECONDS) => run(words, { ...options, seconds }),
    async change(words, seconds) {
      const lock = join(await workFolder(installation), 'engine.lock')
      // --close: the lock must not pass to what the program starts, which may keep running.
      const waiting = ['flock', '--close', '--wait', `${seconds}`, '--conflict-exit-code', '201', lock]
      await output([...waiting, ...words], { ...options, seconds: 2 * seconds })
    },
  }
  return runBy.kind === 'systemd'
    ? systemdRuntime(commands, installation, runBy.unit)
    : await findComposeRuntime(commands, home, composeFiles(installation.variables(), runBy.file))
}

/** As compose reads them from `.env`: files that extend compose.yaml. */
function composeFiles({ COMPOSE_FILE, COMPOSE_PATH_SEPARATOR }: Environment, file: string): readonly string[] {
  return (COMPOSE_FILE || file).split(COMPOSE_PATH_SEPARATOR || ':')
}
