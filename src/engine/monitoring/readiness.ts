// Whether the engine has what it needs to decide, for alerts and for whatever starts a proxy after it.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheResult } from '../../observability/cache-result.ts'
import type { Journal } from '../journal/journal.ts'
import type { PolicyStore } from '../policy/reload/policy-store.ts'
import type { EngineState } from '../state/state.ts'

/** What has been opened so far. */
export interface Opened {
  readonly policies?: Pick<PolicyStore, 'current' | 'last'> | undefined
  readonly state?: Pick<EngineState, 'isUp' | 'writeFault' | 'durability' | 'counts' | 'lostEvents'> | undefined
  /** Undefined where it is turned off, too. */
  readonly journal?: Pick<Journal, 'status'> | undefined
}

interface Check {
  readonly state: 'ok' | 'failing'
  readonly detail: string
}

export interface Readiness {
  readonly ready: boolean
  /** The engine is ready without its journal. */
  readonly checks: Readonly<Record<'policy' | 'database' | 'certificates', Check>> & { readonly journal?: Check }
}

export interface ReadinessOptions {
  readonly opened: Opened
  readonly certificates: { readonly folder: string; readonly role: 'issuer' | 'reader' }
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

const CACHE_MS = 1_000
/** A reader has no other file. */
const PUBLISHED = {
  issuer: ['ca/ca.crt', 'terminator/portal.crt', 'control/control.pem'],
  reader: ['control/control.pem'],
}

/** The result of the function never rejects. */
export function createReadiness({ opened, certificates, clock }: ReadinessOptions): () => Promise<Readiness> {
  return cacheResult(CACHE_MS, clock, async () => {
    const checks = {
      policy: checkPolicy(opened.policies),
      database: await checkDatabase(opened.state),
      certificates: await checkCertificates(certificates, clock()),
    }
    const ready = Object.values(checks).every(({ state }) => state === 'ok')
    return { ready, checks: { ...checks, ...(opened.journal && { journal: checkJournal(opened.journal) }) } }
  })
}

/** An engine that kept its policy is ready: it decides by the policy that it has. */
function checkPolicy(policies: Opened['policies']): Check {
  if (policies === undefined) return { state: 'failing', detail: 'not loaded yet' }
  const { current, last } = policies
  const kept = last.result === 'kept' ? `; the last load was rejected (${last.problems.length} problems)` : ''
  return { state: 'ok', detail: `revision ${current.revision}, ${current.rules.length} rules${kept}` }
}

async function checkDatabase(state: Opened['state']): Promise<Check> {
  if (state === undefined) return { state: 'failing', detail: 'not opened yet' }
  if (!state.isUp) return { state: 'failing', detail: 'does not respond' }
  const fault = await state.writeFault()
  return fault === undefined ? { state: 'ok', detail: 'responds' } : { state: 'failing', detail: fault }
}

function checkJournal({ status: { isUp, fault, queued, lost } }: Pick<Journal, 'status'>): Check {
  const rows = `${queued} rows queued, ${lost} lost`
  return isUp ? { state: 'ok', detail: rows } : { state: 'failing', detail: `${fault}; ${rows}` }
}

async function checkCertificates({ folder, role }: ReadinessOptions['certificates'], now: number): Promise<Check> {
  for (const file of PUBLISHED[role]) {
    const problem = await checkCertificate(join(folder, file), now)
    if (problem !== undefined) return { state: 'failing', detail: `${file} ${problem}` }
  }
  return { state: 'ok', detail: 'published' }
}

/** What is wrong with it; undefined if nothing is. */
async function checkCertificate(path: string, now: number): Promise<string | undefined> {
  try {
    const { validFromDate, validToDate } = new X509Certificate(await readFile(path))
    return validFromDate.getTime() <= now && now < validToDate.getTime() ? undefined : 'is not valid at this time'
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'no certificate'})`
  }
}
