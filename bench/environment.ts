// The environment that all scenarios of a run share: a portal as deployed, the engine with its published CA,
// and an operator's policy of 20 KB in every language.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveKeyring, type PayloadKey } from '../src/contract/secret.ts'
import { type EngineProcess, startEngineProcess } from '../test/support/engine-process.ts'
import { type Cores, pin } from '../test/support/processes.ts'
import { bytesAtRest, type Server, type ServerPlan, startServer } from '../test/support/servers.ts'
import { portalVariables } from './portal-variables.ts'

export interface BenchEnvironment {
  /** For temporary files. */
  readonly folder: string
  readonly cores: Cores | undefined
  /** The key that seals verdicts. */
  readonly key: PayloadKey
  readonly engine: EngineProcess
  readonly portalPlan: ServerPlan
  /** The same portal with the built-in policy. */
  readonly installedPlan: ServerPlan
  readonly portal: Server
  /** The portal's memory before its first request. */
  readonly bytesAtRest: number
}

// Payloads are sealed once, before the first run.
export const REPLAY_WINDOW_SECONDS = 24 * 3600
const POLICY_BYTES = 20_000
const POLICY_FILES = ['aup.md', 'aup.fr.md', 'aup.de.md', 'aup.it.md']

/** @throws {Error} when a process does not start */
export async function startEnvironment(folder: string, cores: Cores | undefined): Promise<BenchEnvironment> {
  // Some peers drop root privileges.
  chmodSync(folder, 0o711)
  const engine = await startEngineProcess(folder)
  if (cores !== undefined) pin(engine.pid, cores.load)
  const plans = planPortal(folder, engine)
  const portal = await startServer(plans.portalPlan, cores)
  const key = sealingKeyOf(engine)
  return { folder, cores, key, engine, ...plans, portal, bytesAtRest: await bytesAtRest(portal) }
}

function sealingKeyOf({ portalVariables }: EngineProcess): PayloadKey {
  return deriveKeyring([readFileSync(portalVariables.GATEWAY_CAPTIVE_SHARED_SECRET_FILE as string, 'utf8')]).sealing
}

/** Creates a folder in the environment's folder. */
export function folderOf(environment: Pick<BenchEnvironment, 'folder'>, name: string): string {
  const folder = join(environment.folder, name)
  mkdirSync(folder, { mode: 0o755 })
  return folder
}

/** Creates the files of a program's image. @returns the program */
export function bundle(folder: string, name: 'portal' | 'engine' | 'proxy'): string {
  const app = join(folder, 'app')
  mkdirSync(join(app, name), { recursive: true })
  copyFileSync('package.json', join(app, 'package.json'))
  execFileSync(process.execPath, [join('scripts', 'bundle.ts'), join(app, name), name])
  return join(app, name, 'main.js')
}

function planPortal(folder: string, engine: EngineProcess): Pick<BenchEnvironment, 'portalPlan' | 'installedPlan'> {
  for (const file of POLICY_FILES) writeFileSync(join(folder, file), policyText())
  const environment = (port: number) => ({
    ...portalVariables(engine, port, `sqlite:///${join(folder, `portal-${port}.db`)}`),
    GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example',
    GATEWAY_CAPTIVE_HOSTNAME: 'portal.example',
    GATEWAY_CAPTIVE_CA_PATH: engine.portalVariables.ENGINE_CA_FILE as string,
    ENGINE_SIGNATURE_MAX_AGE_SECONDS: `${REPLAY_WINDOW_SECONDS}`,
    NODE_ENV: 'production',
  })
  const program = bundle(folder, 'portal')
  const installedPlan = { name: 'the portal', words: () => [program], environment }
  const policy = { GATEWAY_CAPTIVE_AUP_ENABLED: 'true', GATEWAY_CAPTIVE_AUP_PATH: join(folder, 'aup.md') }
  const portalPlan = { ...installedPlan, environment: (port: number) => ({ ...environment(port), ...policy }) }
  return { installedPlan, portalPlan }
}

/** @returns Markdown in the style of a legal department */
function policyText(): string {
  let text = '# Acceptable use of the network\n'
  for (let section = 1; text.length < POLICY_BYTES; section++) {
    text += `
## ${section}. Use for work, study and research

The network of the institute is there for **work, study and research**. Private use is tolerated as long as it neither
hinders these nor costs the institute money, and as long as it obeys the law & the rules of section ${section}.

- Keep your password to yourself; anyone who has it acts in your name.
- Do not circumvent the filter. If you need a site that is blocked, ask the [help desk](https://help.example/${section}).
- What you publish from here is seen as published by the institute.
`
  }
  return text.slice(0, POLICY_BYTES)
}
