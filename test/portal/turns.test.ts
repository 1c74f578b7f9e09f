// The request queue is first in, first out.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import type { Exchange } from '../../src/portal/exchange.ts'
import { takeTurns } from '../../src/portal/turns.ts'
import { until } from '../support/until.ts'

test('the oldest queued request is served first', async () => {
  const served: number[] = []
  // Longer than one round of the event loop answers: the queue is worked off in several.
  const serve = (exchange: Exchange) => {
    served.push(exchange as unknown as number)
    for (const end = performance.now() + 0.3; performance.now() < end; );
  }
  const turns = takeTurns(createServer(), serve)
  const requests = Array.from({ length: 50 }, (_, index) => index)
  for (const request of requests) turns.take(request as unknown as Exchange)
  assert.equal(turns.waiting(), 49)
  await until(() => turns.waiting() === 0)
  assert.deepEqual(served, requests)
})
