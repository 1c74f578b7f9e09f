// A primary and two workers that count, as a program of its own: it prints what the primary serves.
import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Exchange } from '../../../src/portal/exchange.ts'
import { createMetrics, metricsOfWorkers, serveToPrimary } from '../../../src/portal/ops/metrics.ts'
import { countRequest, createTally } from '../../../src/portal/ops/tally.ts'

if (cluster.isPrimary) {
  const metrics = metricsOfWorkers()
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
  const ok = { state: 'ok', says: '' } as const
  const registry = createMetrics({
    tally,
    ledger: {
      durability: { settings: {}, memoryBacked: true },
      health: async () => ({
        accepted: 7,
        refused: 0,
        writeFailures: { attempts: 0, answers: 0, redirects: 0 },
        waiting: { pending: 5, unknown: 0 },
      }),
    },
    readiness: async () => ({
      ready: true,
      checks: {
        engine: ok,
        database: { state: number === 1 ? 'ok' : 'wrong', says: '' },
        certificate: ok,
        eventLoop: { ...ok, delayMilliseconds: 0 },
      },
    }),
    publishedCa: () => ({ certificate: { notAfter: 1_900_000_000_000 } as never, next: undefined }),
    release: { version: '1', type: '', label: '1' },
    clock: Date.now,
  })
  serveToPrimary(registry)
  process.send?.('counting')
}
