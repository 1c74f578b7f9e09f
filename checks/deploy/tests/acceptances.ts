// Visitors who accept policies at the published port, and their records in the ledger.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../../../test/terminator/client.ts'
import { HOSTNAME, type Stack } from './stack.ts'

/** Requests a URL like a browser that trusts the CA. */
export function visit({ httpsPort, ca }: Stack, url: string) {
  const { pathname, search } = new URL(url)
  return send(`https://127.0.0.1:${httpsPort}`, pathname + search, { ca, servername: HOSTNAME, timeout: 10_000 })
}

/** Acknowledges the verdicts in sequence. @returns those that got the engine's redirect */
async function acknowledge(
  stack: Stack,
  redirects: readonly string[],
  onResponse = () => {},
): Promise<readonly string[]> {
  const accepted: string[] = []
  for (const redirect of redirects) {
    const { pathname, search } = new URL(redirect)
    assert.equal(pathname, '/aup')
    const response = await visit(stack, `${stack.baseUrl}/api/captive/ack${search}`).catch(() => undefined)
    if (response?.status === 302) accepted.push(redirect)
    onResponse()
    await sleep(20)
  }
  return accepted
}

/** @returns the number of acceptances in the ledger, optionally of one state */
function recorded(stack: Stack, ...state: readonly string[]): number {
  return JSON.parse(stack.inside('portal', 'acceptances', 'list', ...state, '--json', '--limit', '1')).total
}

/**
 * Asserts that every acceptance whose visitor was redirected is in the ledger, although the event happens meanwhile.
 * @param states that these acceptances may have
 */
export async function assertNothingLost(
  stack: Stack,
  event: () => Promise<void>,
  states: readonly string[] = ['accepted'],
): Promise<void> {
  const counted = () => states.reduce((sum, state) => sum + recorded(stack, '--state', state), 0)
  const before = { all: recorded(stack), counted: counted() }
  const redirects = stack.verdicts('http://social.localhost/', 60)
  const first = await acknowledge(stack, redirects.slice(0, 10))
  const hasBegun = Promise.withResolvers<void>()
  const meanwhile = acknowledge(stack, redirects.slice(10, 50), hasBegun.resolve)
  await hasBegun.promise
  await event()
  await stack.ready()
  const others = [await meanwhile, await acknowledge(stack, redirects.slice(50))]
  const redirected = first.length + others.flat().length
  assert.equal(first.length, 10)
  assert.equal(others[1]?.length, 10)
  // Interrupted acknowledgements may have been recorded as well.
  const rows = counted() - before.counted
  assert.ok(rows >= redirected, `${rows} of ${redirected}`)
  assert.ok(recorded(stack) <= before.all + 60)
}
