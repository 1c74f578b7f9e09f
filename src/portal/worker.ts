// One of several processes that share the port. It serves what the primary has looked at already: what was in a file or
// in the policy then holds for every worker, also for one that takes another's place a month later.
import { once } from 'node:events'
import type { PolicyTexts } from '../aup/policy-texts.ts'
import { loadConfig } from '../config/config.ts'
import { readRemembered } from '../config/file.ts'
import type { Durability } from '../ledger/durability.ts'
import { joinLedger } from '../ledger/ledger.ts'
import { createLog, endOnUnexpectedError } from './log.ts'
import { createTally } from './ops/tally.ts'
import { policyDocuments } from './policy-document.ts'
import { serve } from './serve.ts'
import { watchCa } from './watch-ca.ts'

/** What the primary says to a worker, once. */
export interface Orders {
  /** What the configuration was read from, beside the environment, which both have. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly policyTexts: PolicyTexts | undefined
  readonly durability: Durability
}

/** What a worker says to the primary, once. */
export interface ListeningReport {
  readonly kind: 'listening'
  readonly address: string
}

/** What the primary says to a worker that stops and should not take its time. */
export interface Hurry {
  readonly kind: 'hurry'
}

const log = createLog()
endOnUnexpectedError(log)

const [{ files, policyTexts, durability }] = (await once(process, 'message')) as [Orders]
const { config } = loadConfig(process.env, readRemembered(files))
const ledger = joinLedger(config.database, durability, Date.now)
// The primary says in the log what it finds.
const publishedCa = await watchCa(config.certificate)
const tally = createTally()
const portal = await serve({ config, ledger, documents: policyDocuments(policyTexts), publishedCa, log, tally })
let isStopping = false
// A terminal and systemd tell the workers as well as the primary, which tells them again; that means no hurry.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
process.on('message', (message: Hurry | { readonly kind: undefined }) => {
  if (message.kind === 'hurry') void portal.close('SIGINT')
})
process.send?.({ kind: 'listening', address: portal.address } satisfies ListeningReport)
if (config.ops.port !== 0) {
  const { reportToPrimary } = await import('./ops/start-ops.ts')
  reportToPrimary({ tally, ledger, release: config.release })
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  if (isStopping) return
  isStopping = true
  await portal.close(signal)
  process.exit(0)
}
