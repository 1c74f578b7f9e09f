// The stopped requests that are kept in memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStoppedRequests, type StoppedRequest } from '../../../src/engine/monitoring/stopped-requests.ts'
import { requestFor } from '../request-for.ts'

function stopped(reference: string, url = 'https://casino.example/'): StoppedRequest {
  return { reference, at: 0, request: requestFor(url), verdict: 'block', rule: 'gambling', reason: undefined }
}

test('the last 10,000 are found, and no older one', () => {
  const requests = createStoppedRequests()
  for (let at = 0; at < 25_000; at++) requests.add(stopped(`r${at}`))
  assert.equal(requests.size, 10_000)
  assert.equal(requests.find('r14999')?.reference, undefined)
  assert.equal(requests.find('r15000')?.reference, 'r15000')
  assert.equal(requests.find('r24999')?.reference, 'r24999')
  assert.equal(requests.find('r25000')?.reference, undefined)
})

test('of long URLs the query is not kept, nor more than 512 characters', () => {
  const fits = `https://a.example/?${'x'.repeat(493)}`
  for (const [url, expected] of [
    [fits, fits],
    [`${fits}x`, 'https://a.example/'],
    [`https://a.example/p#${fits}`, 'https://a.example/p'],
    [`https://a.example/${'é'.repeat(1300)}?x`, `https://a.example/${'%C3%A9'.repeat(82)}%C`],
  ] as const) {
    const requests = createStoppedRequests(1)
    requests.add(stopped('one', url))
    assert.equal(requests.find('one')?.request.destination.href, expected)
  }
})
