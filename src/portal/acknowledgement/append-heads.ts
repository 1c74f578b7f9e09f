// Every hour, a signed head covers what the ledger completed since: the evidence against later changes. Each head is also a
// line of the audit log, so that a copy exists outside of the database.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createHeadSigner } from '../../ledger/heads/head.ts'
import type { Ledger } from '../../ledger/ledger.ts'

export interface AppendingHeads {
  /** Appends a last head, for at most about two seconds more than the ledger takes for one. */
  stop(): Promise<void>
}

interface HeadDependencies {
  readonly ledger: Pick<Ledger, 'appendHead'>
  /** The key of the signatures is derived from it. */
  readonly secret: string
  readonly log: Pick<Logger, 'info' | 'error'>
}

/** In milliseconds. */
const SCHEDULE = { first: 60_000, afterwards: 3_600_000, afterFault: 60_000 }
const STOP_MS = 2_000

export function appendHeads({ ledger, secret, log }: HeadDependencies, schedule = SCHEDULE): AppendingHeads {
  const signer = createHeadSigner(secret)
  const stopping = new AbortController()
  const { signal } = stopping
  let deadline = Number.POSITIVE_INFINITY
  const stopped = run()
  return {
    async stop() {
      deadline = performance.now() + STOP_MS
      stopping.abort()
      await stopped
    },
  }

  async function run(): Promise<void> {
    for (let wait = schedule.first; !signal.aborted; ) {
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {})
      wait = (await appendAll()) ? schedule.afterwards : schedule.afterFault
    }
  }

  /** @returns false if the ledger failed */
  async function appendAll(): Promise<boolean> {
    try {
      let continueAt: string | undefined
      do {
        const startedAt = performance.now()
        const { head, ...appended } = await ledger.appendHead(signer, continueAt)
        if (head !== undefined) log.info({ event: 'ledger.head', ...head }, 'ledger head')
        continueAt = appended.continueAt
        // SQLite has one writer at a time and no queue: the pause lets acknowledgements through.
        if (continueAt !== undefined) await sleep(performance.now() - startedAt)
      } while (continueAt !== undefined && performance.now() < deadline)
      return true
    } catch (error) {
      log.error({ err: error }, 'no head was appended to the ledger')
      return false
    }
  }
}
