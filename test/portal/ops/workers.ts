// A primary and two workers that count, as a program of its own: it prints what the primary serves.
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Exchange } from '../../../src/portal/exchange.ts'
import { metricsOfWorkers, serveToPrimary } from '../../../src/portal/ops/metrics.ts'
import { countRequest, createTally } from '../../../src/portal/ops/tally.ts'

if (cluster.isPrimary) {
  const ok = { state: 'ok', says: '' } as const
  const metrics = metricsOfWorkers({
    ledger: {
      durability: { settings: {}, memoryBacked: true },
      waiting: async () => ({ pending: 5, unknown: 0 }),
    },
    readiness: async () => ({
      ready: false,
      checks: {
        engine: ok,
        database: { state: 'wrong', says: '' },
        certificate: ok,
        eventLoop: { ...ok, delayMilliseconds: 0 },
      },
    }),
    publishedCa: () => ({ certificate: { notAfter: 1_900_000_000_000 } as never, next: undefined }),
    clock: Date.now,
  })
  const workers = ['1', '2'].map((NUMBER) => cluster.fork({ NUMBER }))
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  process.stdout.write(await metrics())
  for (const worker of workers) worker.kill()
} else {
  const number = Number(process.env.NUMBER)
  const tally = createTally()
  tally.inFlight = number
  const exchange = { response: { statusCode: 200 }, startedAt: 0, endedAt: 1 } as Exchange
  for (let count = 0; count < number; count++) countRequest(tally, exchange, '/blocked', 'answered')
  serveToPrimary({
    tally,
    ledger: { tally: { accepted: 7, refused: 0, writeFailures: { attempts: 0, answers: 0, redirects: 0 } } },
    release: { version: '1', type: '', label: '1' },
  })
  process.send?.('counting')
}
