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

test('of long URLs the query is not kept, nor more than 512 characters: each of the last 10,000 is found', () => {
  const requests = createStoppedRequests()
  const kept = (url: string) => {
    const one = createStoppedRequests(1)
    one.add(stopped('one', url))
    return one.find('one')?.request.destination.href
  }
  for (let at = 0; at < 10_000; at++) requests.add(stopped(`r${at}`, `https://a.example/p/${at}?${'x'.repeat(8000)}`))
  assert.equal(requests.size, 10_000)
  assert.equal(requests.find('r0')?.request.destination.href, 'https://a.example/p/0')
  const fits = `https://a.example/?${'x'.repeat(493)}`
  assert.equal(kept(fits), fits)
  const cases: readonly [url: string, href: string][] = [
    [`${fits}x`, 'https://a.example/'],
    [`https://a.example/p#${fits}`, 'https://a.example/p'],
    [`https://a.example/${'é'.repeat(1300)}?x`, `https://a.example/${'%C3%A9'.repeat(82)}%C`],
  ]
  for (const [url, expected] of cases) assert.equal(kept(url), expected)
})
