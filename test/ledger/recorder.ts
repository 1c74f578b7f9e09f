// A process with a ledger only, for tests that kill it: it records one acceptance after the other and
// prints each step once it is acknowledged.
import { writeSync } from 'node:fs'
import { openLedger } from '../../src/ledger/ledger.ts'
import { acceptanceRequest, begun } from './fixture.ts'

const ledger = await openLedger(JSON.parse(process.argv[2] ?? ''), { clock: Date.now, migrate: false })
const recordForever = async () => {
  for (;;) {
    const attempt = begun(await ledger.beginAttempt(acceptanceRequest()))
    writeSync(1, `begun ${attempt.reference}\n`)
    await ledger.completeAttempt(attempt, 302)
    writeSync(1, `completed ${attempt.reference}\n`)
  }
}
await Promise.all(Array.from({ length: 4 }, recordForever))
