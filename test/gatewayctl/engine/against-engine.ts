// gatewayctl as a process, against an engine that runs in the test's.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILES, RULES } from '../../engine/control-api/administration/policy.ts'
import { API_TOKEN, type EngineOptions, type RunningEngine, startEngine } from '../../engine/running-engine.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { type Ended, gatewayctl, type Surroundings } from '../gatewayctl.ts'

export interface AdministeredEngine extends RunningEngine {
  /** The options that name it. */
  readonly options: readonly string[]
  /** Runs `gatewayctl engine …` with these options, an hour ahead of UTC. */
  run(args: readonly string[], surroundings?: Surroundings): Promise<Ended>
}

export async function startAdministered(
  t: Cleanup,
  toml = RULES,
  options: Omit<EngineOptions, 'files'> = {},
): Promise<AdministeredEngine> {
  const engine = await startEngine(t, toml, { files: FILES, ...options })
  const tokenFile = join(engine.folder, 'token')
  await writeFile(tokenFile, `${API_TOKEN}\n`)
  const named = [
    ...['--engine', `https://127.0.0.1:${engine.port}`, '--token-file', tokenFile],
    ...['--ca-file', join(engine.folder, 'ca', 'ca.crt')],
  ]
  return {
    ...engine,
    options: named,
    run: (args, surroundings) =>
      gatewayctl(['engine', ...args, ...named], {
        ...surroundings,
        env: { GATEWAY_TIMEZONE: 'Europe/Zurich', ...surroundings?.env },
      }),
  }
}
