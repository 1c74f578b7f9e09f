// `engine status`: what the engine has loaded, its database, and what it stores.
import type { Command } from 'commander'
import type { EngineStatus } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { portalKeys, secretFinding } from '../deployment/portal-keys.ts'
import { Failure } from '../failure.ts'
import { type Finding, findingLines } from '../terminal/findings.ts'
import { printableJson } from '../terminal/printable.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { writeFault } from './database-fault.ts'
import { counted, describePolicy } from './load-result.ts'

export function engineStatusCommand(context: Context): Command {
  const command = createCommand(context, 'status', {
    purpose: 'Reports what the engine has loaded, its database, and its shared secret.',
    details: `
The exit code is 1 if its last load was rejected, its database cannot be
written, or it seals with a secret that the portal does not have. The portal's
secret is read from its variables, otherwise from secrets/shared-secret in the
gateway's folder.
${ENGINE}`,
    examples: ['gatewayctl engine status', "gatewayctl engine status --json | jq '.policy.lists'"],
  })
  return withEngineOptions(command).action(async (options: EngineOptions) => {
    const connection = await findEngine(context, options)
    const status = await callEngine(connection, 'status', {})
    const { name, ...secret } = secretFinding(status.kid, portalKeys(context.env))
    const findings = findingsOf(connection.url.origin, status, { name, ...secret })
    const isWrong = findings.some(({ state }) => state === 'wrong')
    context.stdout.write(
      options.json ? `${printableJson({ ok: !isWrong, ...status, secret }, 2)}\n` : findingLines(context, findings),
    )
    if (isWrong) throw new Failure()
  })
}

function findingsOf(origin: string, status: EngineStatus, secret: Finding): readonly Finding[] {
  const { policy, last_load: load, database, sessions, lockouts, permissions, stopped_in_memory: stopped } = status
  const count = (name: string, number: number | null, noun: string, next: string): Finding => {
    if (number === null) return { name, state: 'unknown', says: 'the database does not respond' }
    return { name, state: 'ok', says: `${counted(number, noun)}${number === 0 ? '' : `: ${next}`}` }
  }
  return [
    {
      name: 'engine',
      state: 'ok',
      says: `${origin} responds; ${counted(stopped, 'stopped request')} can be looked up`,
    },
    secret,
    { name: 'policy', state: 'ok', says: `${describePolicy(policy)}; revision ${policy.revision}` },
    loadFinding(load),
    databaseFinding(database),
    count('sessions', sessions, 'session', 'gatewayctl engine sessions list'),
    count('lockouts', lockouts, 'lockout', 'gatewayctl engine lockouts list'),
    count('permissions', permissions, 'temporary permission', 'gatewayctl engine permissions list'),
  ]
}

function databaseFinding(database: EngineStatus['database']): Finding {
  const name = 'database'
  const { memory_backed, in_temporary_folder } = database
  const fault = writeFault(database)
  if (fault !== undefined) return { name, state: 'wrong', says: fault }
  if (memory_backed)
    return { name, state: 'warning', says: 'responds, but is in memory: sessions are lost with its container' }
  return in_temporary_folder
    ? { name, state: 'warning', says: 'responds, but is in a folder for temporary files, which the system empties' }
    : { name, state: 'ok', says: 'responds' }
}

function loadFinding({ result, problems, warnings }: EngineStatus['last_load']): Finding {
  const name = 'last load'
  const [first = ''] = problems
  const [warning] = warnings
  if (result === 'kept') {
    const says = `rejected, the previous policy stays in force: ${first} (gatewayctl engine reload shows all problems)`
    return { name, state: 'wrong', says }
  }
  if (problems.length > 0) {
    return { name, state: 'warning', says: `a list was rejected, the previous one stays in force: ${first}` }
  }
  if (warning === undefined) return { name, state: 'ok', says: 'no problems' }
  return { name, state: 'warning', says: `${counted(warnings.length, 'warning')}: ${warning}` }
}
