// Whether acceptances can be recorded, as the portal's readiness reports it: every page works while they cannot.
import type { Context } from '../../context.ts'
import { findRuntime } from '../../deployment/find-runtime.ts'
import { findInstallation, missingInstallation } from '../../deployment/installation.ts'
import { type Probed, portalOnThisHost } from '../../deployment/own-address.ts'
import { portalVariables } from '../../deployment/portal-variables.ts'
import { type Finding, skipped, verdictOn } from '../../doctor/finding.ts'
import { Failure } from '../../failure.ts'
import { healthFault } from '../aup/watch.ts'
import { dependencyFindings } from '../dependencies.ts'

const TRIED = 'whether the portal can record acceptances'

export async function checkDatabase(context: Context): Promise<Finding> {
  try {
    const portal = await findPortal(context)
    if (portal === undefined) return skipped('database', TRIED, 'no portal runs on this machine')
    const database = (await dependencyFindings(context, portal)).find(({ name }) => name === 'database')
    return verdictOn('database', TRIED, database?.state === 'wrong' ? [database.says] : [], {
      seen: database?.says ?? 'unknown',
      advice: 'free space where the ledger is, or make its database reachable: until then nobody can accept a policy',
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return skipped('database', TRIED, error.message)
  }
}

/** Undefined where none runs on this machine. @throws {Failure} */
async function findPortal(context: Context): Promise<Probed | undefined> {
  if (missingInstallation(context.env) === undefined) {
    const instances = await (await findRuntime(context, findInstallation(context.env))).instances()
    return instances.find(({ running }) => running)
  }
  const portal = portalOnThisHost(context.env, portalVariables(context.env))
  return (await healthFault(portal)) === undefined ? portal : undefined
}
