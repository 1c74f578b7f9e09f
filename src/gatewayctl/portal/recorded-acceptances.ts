// Notices about the acceptances that a running portal records: the policy's version, and whether the ledger is durable.

import { MEMORY_BACKED, storageNotice } from '../../ledger/ledger.ts'
import { loadSection } from '../../settings/load-section.ts'
import { loadDatabase } from '../../settings/sections/database.ts'
import { policy } from '../../settings/sections/policy.ts'
import type { Instance } from '../deployment/runtime.ts'
import { Failure } from '../failure.ts'
import { printable } from '../terminal/printable.ts'

/** The version that acceptances are recorded under, and when it has to change. */
export function versionNotice({ variables }: Instance): string {
  const { PRIVACY_POLICY_VERSION } = variables
  const { version } = loadSection(policy, { PRIVACY_POLICY_VERSION }).part.policy
  return `Acceptances are recorded under PRIVACY_POLICY_VERSION ${printable(version)}. A changed text needs a new version: set it in .env and restart the portal, or set it before "gatewayctl portal aup edit".`
}

/** Undefined if acceptances are kept, or if that is unknown. */
export async function lossNotice(instance: Pick<Instance, 'variables' | 'probe'>): Promise<string | undefined> {
  const path = sqlitePath(instance)
  if (path === undefined) return undefined
  if (path === ':memory:') return MEMORY_BACKED
  try {
    const storage = (await instance.probe({ databases: [path] })).storage[path]
    return storage ? storageNotice(storage) : undefined
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Undefined for PostgreSQL, and if only the portal can read the URL. */
function sqlitePath({ variables }: Pick<Instance, 'variables'>): string | undefined {
  const { GATEWAY_CAPTIVE_DATABASE_URL } = variables
  try {
    const location = loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL })
    return location.dialect === 'sqlite' ? location.path : undefined
  } catch {
    return undefined
  }
}
