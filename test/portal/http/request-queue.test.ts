// The request queue is first in, first out.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createRequestQueue } from '../../../src/portal/http/request-queue.ts'
import { until } from '../../support/until.ts'

test('the oldest queued request is served first', async () => {
  const served: number[] = []
  const queue = createRequestQueue<number>(createServer(), (request) => {
    served.push(request)
    // Slow enough that the queue needs several iterations of the event loop.
    for (const end = performance.now() + 0.3; performance.now() < end; );
  })
  const requests = Array.from({ length: 50 }, (_, index) => index)
  for (const request of requests) queue.add(request)
  assert.equal(queue.size(), 49)
  await until(() => queue.size() === 0)
  assert.deepEqual(served, requests)
})
