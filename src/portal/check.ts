// `--check`: what a start would find, without changing anything.

import { keyMismatch } from '../contract/engine-health.ts'
import { checkDatabase } from '../database/check.ts'
import { storageNotice } from '../ledger/ledger.ts'
import { LEDGER_SCHEMA } from '../ledger/migrations.ts'
import { checkListeners } from '../start/check-listeners.ts'
import { type CheckResult, joinResults, printCheck } from '../start/check-result.ts'
import { watchCa } from './certificate/watch-ca.ts'
import { createHealthClient } from './engine-client/clients.ts'
import type { Config } from './settings/config.ts'
import type { PortalConfig } from './settings/load.ts'

/** Prints what it finds. @returns the exit status */
export async function checkStart({ config, warnings }: PortalConfig): Promise<0 | 2> {
  const results = await Promise.all([
    { problems: [], warnings },
    checkLedger(config.database),
    checkCertificate(config.certificate),
    checkEngine(config),
    checkPorts(config),
  ])
  return printCheck(joinResults(results), 'no problems')
}

async function checkLedger(location: Config['database']): Promise<CheckResult> {
  const { fault, storage, isOutdated } = await checkDatabase(location, LEDGER_SCHEMA)
  if (fault !== undefined) {
    return { problems: [`GATEWAY_CAPTIVE_DATABASE_URL must name a database that can be used; ${fault}`], warnings: [] }
  }
  const notice = storage && storageNotice(storage)
  return {
    problems: [],
    warnings: [
      ...(notice === undefined ? [] : [notice]),
      ...(isOutdated ? ['the next start upgrades the tables of the ledger: back it up first'] : []),
    ],
  }
}

async function checkCertificate(certificate: Config['certificate']): Promise<CheckResult> {
  const publishedCa = await watchCa(certificate)
  const isMissing = certificate.inspection && publishedCa() === undefined
  return {
    problems: [],
    warnings: isMissing
      ? [`no certificate is published at ${certificate.path}: the certificate page does not exist`]
      : [],
  }
}

async function checkEngine(config: Config): Promise<CheckResult> {
  const health = await createHealthClient(config)?.()
  if (health === undefined) return { problems: [], warnings: [] }
  if (health.reason !== undefined) {
    return { problems: [], warnings: [`the engine is not reachable: ${health.reason}`] }
  }
  const { keyId } = health
  const mismatch = keyId === undefined ? undefined : keyMismatch(keyId, [...config.payload.keyring.opening.keys()])
  const problems = mismatch === undefined ? [] : [`GATEWAY_CAPTIVE_SHARED_SECRET must be the engine's; ${mismatch}`]
  return { problems, warnings: [] }
}

function checkPorts({ listen, ops }: Config): Promise<CheckResult> {
  const main = { ...listen, setting: 'GATEWAY_CAPTIVE_LISTEN_PORT' }
  const others = ops.port === 0 ? [] : [{ ...ops, setting: 'GATEWAY_CAPTIVE_OPS_PORT' }]
  return checkListeners({ program: 'the portal', listeners: [main, ...others], protocol: 'http' })
}
