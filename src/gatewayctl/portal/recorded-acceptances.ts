// Notices about the acceptances that a running portal records: the policy's version, and whether the ledger is durable.
import { loadDatabase } from '../../config/load-database.ts'
import { loadSection } from '../../config/load-section.ts'
import { policy } from '../../config/policy.ts'
import { MEMORY_BACKED } from '../../ledger/durability.ts'
import type { Instance } from '../deployment/runtime.ts'
import { Failure } from '../failure.ts'
import { printable } from '../terminal/printable.ts'

/** The version that acceptances are recorded under, and when it has to change. */
export function versionNotice({ variables }: Instance): string {
  const { PRIVACY_POLICY_VERSION } = variables
  const { version } = loadSection(policy, { PRIVACY_POLICY_VERSION }).part.policy
  return `Acceptances are recorded under PRIVACY_POLICY_VERSION ${printable(version)}. A changed text needs a new version: set it in .env and restart the portal, or set it before "gatewayctl portal aup edit".`
}

/** Undefined if the ledger is durable, or if that is unknown. */
export async function memoryNotice(instance: Instance): Promise<string | undefined> {
  const path = sqlitePath(instance)
  return path !== undefined && (await isInMemory(instance, path)) ? MEMORY_BACKED : undefined
}

async function isInMemory(instance: Instance, path: string): Promise<boolean> {
  if (path === ':memory:') return true
  try {
    return (await instance.probe({ databases: [path] })).inMemory[path] === true
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
