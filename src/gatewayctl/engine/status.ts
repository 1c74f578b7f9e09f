// `engine status`: what the engine has loaded, its database, and what it stores.
import type { Command } from 'commander'
import type { EngineStatus } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { type PortalKeys, portalKeys, secretFinding } from '../deployment/portal-keys.ts'
import { type Finding, ok, skipped } from '../doctor/finding.ts'
import { report } from '../doctor/report.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { writeFault } from './database-fault.ts'
import { journalFinding } from './journal-finding.ts'
import { listsFinding } from './lists-finding.ts'
import { counted, describePolicy } from './load-result.ts'

export function engineStatusCommand(context: Context): Command {
  const command = createCommand(context, 'status', {
    purpose: 'Reports what the engine has loaded, its database, and its shared secret.',
    details: `
The exit code is 1 if its last load was rejected, a list has neither its file
nor a copy, its database or its journal cannot be written, or it seals with a
secret that the portal does not have. The portal's secret is read from its
variables, otherwise from secrets/shared-secret in the gateway's folder.
${ENGINE}`,
    examples: ['gatewayctl engine status', "gatewayctl engine status --json | jq '.policy.lists'"],
  })
  return withEngineOptions(command).action(async (options: EngineOptions) => {
    const { findings, status } = await engineFindings(context, options)
    report(context, findings, options, status)
  })
}

/** @throws {Failure} without a response @throws {ConfigProblems} */
export async function engineFindings(context: Context, options: EngineOptions) {
  const connection = await findEngine(context, options)
  const status = await callEngine(connection, 'status', {})
  return { status, findings: findingsOf(connection.url.origin, status, portalKeys(context.env)) }
}

function findingsOf(origin: string, status: EngineStatus, keys: PortalKeys): readonly Finding[] {
  const { policy, last_load: load, database, sessions, lockouts, permissions, stopped_in_memory: stopped } = status
  const tried = `what ${origin} reports`
  const count = (check: string, number: number | null, noun: string, next: string): Finding => {
    if (number === null) return skipped(check, tried, 'the database does not respond')
    return ok(check, tried, `${counted(number, noun)}${number === 0 ? '' : `: ${next}`}`)
  }
  return [
    ok('engine', tried, `${origin} responds; ${counted(stopped, 'stopped request')} can be looked up`),
    secretFinding(tried, status.kid, keys),
    ok('policy', tried, `${describePolicy(policy)}; revision ${policy.revision}`),
    { tried, ...loadFinding(load) },
    listsFinding(tried, policy),
    { tried, ...databaseFinding(database) },
    journalFinding(tried, status.journal),
    count('sessions', sessions, 'session', 'gatewayctl engine sessions list'),
    count('lockouts', lockouts, 'lockout', 'gatewayctl engine lockouts list'),
    count('permissions', permissions, 'temporary permission', 'gatewayctl engine permissions list'),
  ]
}

function databaseFinding(database: EngineStatus['database']): Finding {
  const check = 'database'
  const { memory_backed, in_temporary_folder } = database
  const fault = writeFault(database)
  if (fault !== undefined) return { check, state: 'failing', detail: fault }
  if (memory_backed) {
    return { check, state: 'warning', detail: 'responds, but is in memory: sessions are lost with its container' }
  }
  return in_temporary_folder
    ? { check, state: 'warning', detail: 'responds, but is in a folder for temporary files, which the system empties' }
    : { check, state: 'ok', detail: 'responds' }
}

function loadFinding({ result, problems, warnings }: EngineStatus['last_load']): Finding {
  const check = 'last-load'
  const [problem = ''] = problems
  const [warning] = warnings
  if (result === 'kept') {
    const advice = 'gatewayctl engine reload shows all problems'
    return { check, state: 'failing', detail: `rejected, the previous policy stays in force: ${problem}`, advice }
  }
  if (problems.length > 0) {
    const what = /: groups\..*\.file: /.test(problem) ? 'an update of groups' : 'a list'
    return { check, state: 'warning', detail: `${what} was rejected: ${problem}` }
  }
  if (warning === undefined) return { check, state: 'ok', detail: 'no problems' }
  return { check, state: 'warning', detail: `${counted(warnings.length, 'warning')}: ${warning}` }
}
