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
  const found = (reference: string) => requests.find(reference).map((one) => one.reference)
  assert.deepEqual(found('r14999'), [])
  assert.deepEqual(found('r15000'), ['r15000'])
  assert.deepEqual(found('r24999'), ['r24999'])
  assert.deepEqual(found('r25000'), [])
})

test('a reference is found by its beginning in any case, unless one is exactly that', () => {
  const requests = createStoppedRequests()
  const all = ['8JN9GcCn_ldSx17RxjAv2g', '8jn9GCCN_anotherOneHere', 'Zk3Qv0yqS1uYb2mXw7cD4g']
  for (const [at, reference] of all.entries()) requests.add({ ...stopped(reference), at })
  const found = (dictated: string) => requests.find(dictated).map(({ reference }) => reference)
  assert.deepEqual(found('zk3qv0yq'), [all[2]])
  assert.deepEqual(found('8jn9gccn'), [all[1], all[0]])
  assert.deepEqual(found('8jn9gccn_LD'), [all[0]])
  assert.deepEqual(found(all[1] as string), [all[1]])
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
    assert.equal(requests.find('one')[0]?.request.destination.href, expected)
  }
})
