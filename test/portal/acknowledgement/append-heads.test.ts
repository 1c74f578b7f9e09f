// The portal appends heads every hour and at its end, retries after a fault, and logs each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Appended } from '../../../src/ledger/heads/append.ts'
import { appendHeads } from '../../../src/portal/acknowledgement/append-heads.ts'
import { startPortal } from '../../ledger/heads/fixture.ts'
import { databases } from '../../support/databases.ts'
import { until } from '../../support/until.ts'

const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const SCHEDULE = { first: 1, afterwards: 3_600_000, afterFault: 1 }

function log() {
  const lines: string[] = []
  const write = (line: object, message: string) => lines.push(`${'number' in line ? line.number : ''} ${message}`)
  return { lines, info: write, error: write } as never as { lines: string[] } & Parameters<typeof appendHeads>[0]['log']
}

test('after a fault it retries, and a stop appends the last head', async (t) => {
  const portal = await startPortal(t, await sqlite.create(t))
  let faults = 2
  const ledger: Parameters<typeof appendHeads>[0]['ledger'] = {
    async appendHead(signer, continueAt) {
      if (faults-- > 0) throw new Error('the database is away')
      return await portal.ledger.appendHead(signer, continueAt)
    },
  }
  const logged = log()
  const heads = appendHeads({ ledger, secret: 'x'.repeat(40), log: logged }, SCHEDULE)
  const fault = ' no head was appended to the ledger'
  await until(() => logged.lines.length === 3)
  assert.deepEqual(logged.lines, [fault, fault, '1 ledger head'])
  await portal.record(302)
  await heads.stop()
  assert.deepEqual(logged.lines.slice(3), ['2 ledger head'])
})

test('a stop does not wait for a long backlog, nor for the next hour', async () => {
  let appended = 0
  const ledger = {
    async appendHead(): Promise<Appended> {
      appended++
      await sleep(20)
      return { head: { number: appended } as never, continueAt: 'more' }
    },
  }
  const heads = appendHeads({ ledger, secret: 'x'.repeat(40), log: log() }, SCHEDULE)
  await until(() => appended > 1)
  const startedAt = performance.now()
  await heads.stop()
  const took = performance.now() - startedAt
  assert.ok(took > 1_500 && took < 4_000, `${took} ms`)
})
