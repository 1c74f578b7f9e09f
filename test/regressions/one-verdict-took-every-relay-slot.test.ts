// Relay slots were assigned in the order of arrival. With a slow engine, three connections that repeated one
// acknowledgement, or one address with enough verdicts, held all of them, and the other visitors got 503: 5 of 52
// acknowledgements were relayed.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  acceptanceOf,
  acknowledgement,
  assertOwnResponse,
  attemptsOf,
  startRelay,
} from '../portal/acknowledgement/relay.ts'
import { exchange } from '../portal/exchange.ts'
import { until } from '../support/until.ts'

const YES = 'HTTP/1.1 302 Found\r\nLocation: https://news.example/\r\nContent-Length: 0\r\n\r\n'
const SLOTS = 8

/** Starts an engine that responds when the test releases it; visitors' addresses come from a trusted proxy. */
async function startSlowEngine(t: TestContext) {
  const asked: (() => void)[] = []
  const relay = await startRelay(t, (socket) => asked.push(() => socket.end(YES)), {
    capacity: { relays: SLOTS, relaysPerClient: SLOTS / 2 },
    env: { GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const acknowledge = (target: string, address: string) =>
    exchange(relay.portal, target, { 'X-Forwarded-For': address })
  return { ...relay, asked, acknowledge }
}

test('one verdict has one request in flight and one waiting; the newest replaces the waiting one', async (t) => {
  const { portal, asked, acknowledge } = await startSlowEngine(t)
  const { target, reference } = acknowledgement()
  const first = acknowledge(target, '192.0.2.1')
  await until(() => asked.length === 1)
  const replaced: ReturnType<typeof acknowledge>[] = []
  let newest = acknowledge(target, '192.0.2.2')
  await until(() => portal.load().relaysWaiting === 1)
  for (let count = 0; count < 20; count++) {
    replaced.push(newest)
    newest = acknowledge(target, `192.0.2.${3 + count}`)
    const answered = await (replaced.at(-1) as typeof newest)
    assert.equal(answered.status, 503)
    assert.equal(answered.headers.get('retry-after'), '1')
    assertOwnResponse(answered, 'page')
    assert.match(answered.body, /You continued more than once/)
    assert.match(answered.body, /class="primary"/, 'with the link back')
  }
  assert.deepEqual([portal.load().relays, portal.load().relaysWaiting, asked.length], [1, 1, 1])

  const other = acknowledge(acknowledgement().target, '192.0.2.1')
  await until(() => asked.length === 2)
  asked[1]?.()
  assert.equal((await other).status, 302, 'another verdict of the same visitor')

  asked[0]?.()
  assert.equal((await first).status, 302)
  await until(() => asked.length === 3)
  asked[2]?.()
  assert.equal((await newest).status, 302)
  assert.deepEqual(attemptsOf(portal, reference), [302, 302])
  assert.equal(acceptanceOf(portal, reference)?.state, 'accepted')
  const { relays, relaysWaiting } = portal.load()
  assert.deepEqual([relays, relaysWaiting], [0, 0])
})

for (const { name, addresses, others } of [
  { name: 'one IPv4 address', addresses: ['192.0.2.1'], others: ['192.0.2.2', '2001:db8::1'] },
  { name: 'one IPv4 address, mapped too', addresses: ['192.0.2.1', '::ffff:192.0.2.1'], others: ['192.0.2.2'] },
  {
    name: 'one IPv6 /64',
    addresses: ['2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:DB8::7:1:2:3:4'],
    others: ['2001:db8:0:8::1', '192.0.2.1'],
  },
]) {
  test(`${name} holds at most half of the slots`, async (t) => {
    const { portal, asked, acknowledge } = await startSlowEngine(t)
    const warning = () => acknowledgement({ kind: 'warn' }).target
    const addressOf = (index: number) => addresses[index % addresses.length] as string
    const held = Array.from({ length: SLOTS / 2 }, (_, index) => acknowledge(warning(), addressOf(index)))
    await until(() => asked.length === SLOTS / 2)
    for (let index = 0; index < 2 * addresses.length; index++) {
      const refused = await acknowledge(warning(), addressOf(index))
      assert.equal(refused.status, 503)
      assert.equal(refused.headers.get('retry-after'), '5')
    }
    const rest = Array.from({ length: SLOTS / 2 }, (_, index) =>
      acknowledge(warning(), others[index % others.length] as string),
    )
    await until(() => asked.length === SLOTS)
    for (const respond of asked) respond()
    for (const one of [...held, ...rest]) assert.equal((await one).status, 302)
    const again = acknowledge(warning(), addressOf(0))
    await until(() => asked.length === SLOTS + 1)
    asked[SLOTS]?.()
    assert.equal((await again).status, 302)
    assert.deepEqual(
      portal.logged().flatMap(({ outcome, reason }) => (outcome === 'overloaded' ? [reason] : [])),
      Array(2 * addresses.length).fill('client address'),
    )
    assert.equal(portal.tally.shed['client address'], 2 * addresses.length)
  })
}
