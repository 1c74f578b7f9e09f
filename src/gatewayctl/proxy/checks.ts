// The checks of the proxy by name; `proxy status` runs the fast ones.
import type { Environment } from '../../settings/reading.ts'
import type { Finding } from '../doctor/finding.ts'
import { type Found, runChecks } from '../doctor/run-checks.ts'
import { checkLocalAddresses, checkManager, checkPorts } from './access.ts'
import { checkClocks } from './clocks.ts'
import { checkDecryption, checkProxyCa } from './decryption.ts'
import type { Gateway, GatewayOptions } from './gateway.ts'
import { checkExempt, checkVerification } from './origins.ts'
import { checkPortal } from './portal.ts'
import type { Probe } from './probe.ts'
import {
  checkDatabase,
  checkDecisions,
  checkFailure,
  checkJournal,
  checkLists,
  checkSecret,
  checkStopped,
  checkUsesEngine,
} from './uses-engine.ts'
import { checkVersion } from './version.ts'

export interface DoctorOptions extends GatewayOptions {
  readonly exempt?: string
  readonly stopped?: URL
  readonly untrusted?: URL
}

interface More {
  readonly clock: () => number
  readonly env: Environment
  readonly options: DoctorOptions
}

type Check = (gateway: Gateway, probe: Probe, more: More) => Found | Promise<Found>

/** The key names a check that throws. */
export const CHECKS: Readonly<Record<string, Check>> = {
  version: (gateway, _, { env }) => checkVersion(gateway, env),
  decrypts: checkDecryption,
  'proxy-ca': (gateway, probe, { clock }) => checkProxyCa(gateway, probe, clock()),
  'uses-engine': checkUsesEngine,
  'this-engine': checkDecisions,
  secret: checkSecret,
  database: checkDatabase,
  lists: checkLists,
  journal: checkJournal,
  'fails-closed': checkFailure,
  stops: (gateway, _, { options }) => checkStopped(gateway, options.stopped),
  portal: checkPortal,
  exempt: (gateway, probe, { options }) => checkExempt(gateway, probe, options.exempt),
  verifies: (gateway, _, { options }) => checkVerification(gateway, options.untrusted),
  'denies-local': checkLocalAddresses,
  'denies-manager': checkManager,
  'denies-ports': checkPorts,
  clock: (gateway, _, { clock }) => checkClocks(gateway, clock),
}

/** Those with these names, in their order. */
export async function runNamed(
  names: readonly string[],
  gateway: Gateway,
  seen: Probe,
  more: More,
): Promise<readonly Finding[]> {
  return await runChecks(
    names.map((name) => [name, () => CHECKS[name]?.(gateway, seen, more)]),
    {
      tried: `requests through ${gateway.name}`,
      advice: `check what ${gateway.name} and the servers behind it log`,
    },
  )
}
