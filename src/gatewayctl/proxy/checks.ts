// The checks of the proxy by name; `proxy status` runs the fast ones.
import type { Environment } from '../../settings/reading.ts'
import { type Finding, failing } from '../doctor/finding.ts'
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
type Found = Finding | readonly Finding[]

/** The key names a check that throws. */
export const CHECKS: Readonly<Record<string, Check>> = {
  version: (gateway, _, { env }) => checkVersion(gateway, env),
  decrypts: checkDecryption,
  'proxy-ca': (gateway, probe, { clock }) => checkProxyCa(gateway, probe, clock()),
  'uses-engine': checkUsesEngine,
  'this-engine': checkDecisions,
  secret: checkSecret,
  database: checkDatabase,
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

/** In the order of the names. */
export async function runChecks(
  names: readonly string[],
  gateway: Gateway,
  seen: Probe,
  more: More,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    names.map(async (name) => {
      try {
        return (await CHECKS[name]?.(gateway, seen, more)) ?? []
      } catch (error) {
        const advice = `check what ${gateway.name} and the servers behind it log`
        return failing(name, `requests through ${gateway.name}`, (error as Error).message, advice)
      }
    }),
  )
  return findings.flat()
}
