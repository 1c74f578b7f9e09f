// What an operator has to know about the acceptances that a running portal records: under which version of the policy, and
// whether they outlive its container.
import { loadDatabase } from '../../config/load-database.ts'
import { loadSection } from '../../config/load-section.ts'
import { policy } from '../../config/policy.ts'
import type { Installation } from '../deployment/installation.ts'
import type { Instance } from '../deployment/runtime.ts'
import { Failure } from '../failure.ts'
import { printable } from '../terminal/printable.ts'

/** The version that acceptances are recorded under, and when it has to change. */
export function versionNotice({ variables }: Instance): string {
  const { PRIVACY_POLICY_VERSION } = variables
  const { version } = loadSection(policy, { PRIVACY_POLICY_VERSION }).part.policy
  return `Acceptances are recorded under PRIVACY_POLICY_VERSION ${printable(version)}. A changed text needs a new version: set it in .env and restart the portal, or set it before "gatewayctl portal aup edit".`
}

/** What is lost with a memory-backed ledger, and how to keep it; undefined if the ledger lasts, or if that is unknown. */
export async function memoryNotice(instance: Instance, { runBy }: Installation): Promise<string | undefined> {
  const path = sqlitePath(instance)
  if (path === undefined || !(await isInMemory(instance, path))) return undefined
  const end =
    runBy.kind === 'compose' ? "end with the portal's container" : 'are lost when the portal or the machine restarts'
  const place = path === ':memory:' ? 'the ledger is in memory' : `the ledger is in memory (${printable(path)})`
  return `Acceptances ${end}: ${place}. To keep them, set GATEWAY_CAPTIVE_DATABASE_URL in .env to a file that lasts, sqlite:////var/lib/portal/portal.db in the shipped deployments, or to a PostgreSQL URL, and recreate the portal.`
}

async function isInMemory(instance: Instance, path: string): Promise<boolean> {
  if (path === ':memory:') return true
  try {
    return (await instance.ask({ databases: [path] })).inMemory[path] === true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Undefined for PostgreSQL, and if only the portal can read the URL. */
function sqlitePath({ variables }: Instance): string | undefined {
  const { GATEWAY_CAPTIVE_DATABASE_URL } = variables
  try {
    const location = loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL })
    return location.dialect === 'sqlite' ? location.path : undefined
  } catch {
    return undefined
  }
}
