// Visitors at the published port who accept policies, and what the ledger has of them afterwards.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../../../test/terminator/client.ts'
import { HOSTNAME, type Stack } from './stack.ts'

/** As a browser that trusts the CA. */
export function visit({ httpsPort, ca }: Stack, url: string) {
  const { pathname, search } = new URL(url)
  return ask(`https://127.0.0.1:${httpsPort}`, pathname + search, { ca, servername: HOSTNAME, timeout: 10_000 })
}

/** Acknowledges these one after the other, until all are done; those that were answered with the engine's redirect. */
async function acknowledge(stack: Stack, redirects: readonly string[]): Promise<readonly string[]> {
  const accepted: string[] = []
  for (const redirect of redirects) {
    const { pathname, search } = new URL(redirect)
    assert.equal(pathname, '/aup')
    const answer = await visit(stack, `${stack.baseUrl}/api/captive/ack${search}`).catch(() => undefined)
    if (answer?.status === 302) accepted.push(redirect)
    await sleep(20)
  }
  return accepted
}

/** How many acceptances the ledger holds, of a state or of all. */
function recorded(stack: Stack, ...state: readonly string[]): number {
  return JSON.parse(stack.inside('portal', 'acceptances', 'list', ...state, '--json', '--limit', '1')).total
}

/**
 * Every acceptance that a visitor was redirected for is in the ledger, though this happens while they accept.
 * @param states those that it may have
 */
export async function losesNothing(
  stack: Stack,
  event: () => Promise<void>,
  states: readonly string[] = ['accepted'],
): Promise<void> {
  const counted = () => states.reduce((sum, state) => sum + recorded(stack, '--state', state), 0)
  const before = { all: recorded(stack), counted: counted() }
  const redirects = stack.verdicts('http://social.localhost/', 60)
  const first = await acknowledge(stack, redirects.slice(0, 10))
  const meanwhile = acknowledge(stack, redirects.slice(10, 50))
  await sleep(200)
  await event()
  await stack.ready()
  const others = [await meanwhile, await acknowledge(stack, redirects.slice(50))]
  const redirected = first.length + others.flat().length
  assert.equal(first.length, 10)
  assert.equal(others[1]?.length, 10)
  // Those that were cut off may have been recorded as well: the visitor does not know, the engine does.
  const rows = counted() - before.counted
  assert.ok(rows >= redirected, `${rows} of ${redirected}`)
  assert.ok(recorded(stack) <= before.all + 60)
}
