// The part of `--check` beyond the policy: what a start would find about certificates, state and ports. Changes nothing.
import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { checkDatabase } from '../database/check.ts'
import { transportNotice } from '../settings/sections/database.ts'
import { type CheckedListener, checkListeners } from '../start/check-listeners.ts'
import { type CheckResult, joinResults } from '../start/check-result.ts'
import { checkCa, UnusableCa } from './certificates/ca.ts'
import { readPair } from './certificates/pair-file.ts'
import { controlFile } from './certificates/publish.ts'
import { JOURNAL_SCHEMA } from './journal/schema.ts'
import type { Settings, SettingsReading } from './settings/settings.ts'
import { checkKeyFile } from './state/key-file.ts'
import { STATE_SCHEMA } from './state/schema.ts'
import { storageNotice } from './state/state.ts'

const GOOD: CheckResult = { problems: [], warnings: [] }
const problem = (text: string): CheckResult => ({ problems: [text], warnings: [] })

/** If the settings have problems, checks only what does not depend on them. */
export async function checkStart(settings: SettingsReading, now: number): Promise<CheckResult> {
  const { certificates, state, journal, control } = settings
  const checks: Promise<CheckResult>[] = []
  if (certificates) {
    checks.push(certificates.role === 'reader' ? checkIssued(certificates) : checkIssuer(certificates, now))
    if (state) checks.push(checkState(certificates, state))
    if (journal) checks.push(checkJournal(certificates, journal))
  }
  if (control) checks.push(checkPorts(control, settings))
  return joinResults(await Promise.all(checks))
}

async function checkIssuer({ folder }: Settings['certificates'], now: number): Promise<CheckResult> {
  const rule = 'certificates.folder must name a folder that can be created or written to'
  try {
    await access(existing(resolve(folder)), constants.W_OK | constants.X_OK)
    await checkCa(folder, now)
    return GOOD
  } catch (error) {
    if (error instanceof UnusableCa)
      return problem(`certificates.folder must hold a usable CA, or none; ${error.message}`)
    return problem(`${rule}; the system reports ${(error as NodeJS.ErrnoException).code}; it is now ${folder}`)
  }
}

/** The closest folder above that exists. */
function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path))
}

async function checkIssued({ folder }: Settings['certificates']): Promise<CheckResult> {
  const path = controlFile(folder)
  const found = await readPair(path)
  if (found.reason === undefined) return GOOD
  return { problems: [], warnings: [`${path} ${found.reason}: a start waits for the issuer`] }
}

async function checkState(
  certificates: Settings['certificates'],
  { location, keyFile }: Settings['state'],
): Promise<CheckResult> {
  // A start creates this folder.
  const ownFolder = resolve(certificates.folder, 'engine')
  const isCreated = (path: string) => dirname(path) === ownFolder && !existsSync(ownFolder)
  const keyProblems = isCreated(keyFile) ? [] : await checkKeyFile(keyFile)
  if (location.dialect === 'sqlite' && isCreated(location.path)) return { problems: keyProblems, warnings: [] }
  const { fault, storage, isOutdated } = await checkDatabase(location, STATE_SCHEMA)
  if (fault !== undefined) {
    return { problems: [...keyProblems, `state.url must name a database that can be used; ${fault}`], warnings: [] }
  }
  const notices = [transportNotice(location), storageNotice(storage)].filter((notice) => notice !== undefined)
  return {
    problems: keyProblems,
    warnings: [
      ...notices,
      ...(isOutdated ? ['the next start upgrades the tables of the state: back it up first'] : []),
    ],
  }
}

/** The engine starts and decides without it, so that nothing here is a problem. */
async function checkJournal(
  certificates: Settings['certificates'],
  { location, days }: Settings['journal'],
): Promise<CheckResult> {
  const ownFolder = resolve(certificates.folder, 'engine')
  const isInOwnFolder = location.dialect === 'sqlite' && dirname(location.path) === ownFolder
  if (days === 0 || (isInOwnFolder && !existsSync(ownFolder))) return GOOD
  const { fault } = await checkDatabase(location, JOURNAL_SCHEMA)
  const warning = `journal.url must name a database that can be used; ${fault}; without it, stopped requests are not recorded`
  return { problems: [], warnings: fault === undefined ? [] : [warning] }
}

function checkPorts({ host, port }: Settings['control'], { icap, ops }: SettingsReading): Promise<CheckResult> {
  const others: CheckedListener[] = []
  if (icap !== undefined) others.push({ host: icap.host, port: icap.port, setting: 'icap.listen' })
  // The engine decides without it.
  if (ops !== undefined && ops !== 'off') others.push({ ...ops, setting: 'ops.listen', isOptional: true })
  return checkListeners({
    program: 'the engine',
    listeners: [{ host, port, setting: 'control.listen' }, ...others],
    protocol: 'https',
  })
}
