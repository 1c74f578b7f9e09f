// The chaos checks: which attempts are tried again, what differs between log and ledger, and that each fault is injected.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Fault, startFaultProxy } from '../../checks/chaos/fault-proxy.ts'
import { Findings } from '../../checks/chaos/findings.ts'
import { type Acceptance, type Attempt, reconcile } from '../../checks/chaos/reconcile.ts'
import { passes } from '../../checks/chaos/scenario.ts'
import { listen } from '../support/listen.ts'
import { until } from '../support/until.ts'

/** Runs a scenario whose attempts find this, one after the other. */
async function judged(...attempts: readonly ((findings: Findings) => unknown)[]) {
  let count = 0
  let text = ''
  const scenario = {
    name: 'fake',
    about: 'fake',
    async run() {
      const findings = new Findings()
      attempts[Math.min(count++, attempts.length - 1)]?.(findings)
      return findings
    },
  }
  const hasPassed = await passes(scenario, true, (line) => {
    text += line
  })
  return { hasPassed, count, text }
}

const good = () => {}
const late = (findings: Findings) => findings.expectInTime(false, 'too late')
const wrong = (findings: Findings) => findings.expect(false, 'a wrong response')
const responses = (...results: readonly string[]) => new Map(results.map((result) => [result, 1]))

test('only times are tried again, three times; a wrong result or an error is not', async () => {
  const both = (findings: Findings) => [late(findings), wrong(findings)]
  for (const [attempts, expected] of [
    [[good], [true, 1]],
    [
      [late, late, good],
      [true, 3],
    ],
    [[late], [false, 3]],
    [
      [wrong, good],
      [false, 1],
    ],
    [
      [both, good],
      [false, 1],
    ],
    [
      [() => assert.fail('broken'), good],
      [false, 1],
    ],
  ] as const) {
    const { hasPassed, count, text } = await judged(...attempts)
    assert.deepEqual([hasPassed, count], expected, text)
  }
})

test('of unexpected results, only those for which there was no time are tried again', async () => {
  const expecting = (...results: readonly string[]) =>
    judged((findings) => findings.expectOnly(['200', '302'], responses(...results), 'pages'), good)
  assert.ok((await expecting('200', '302')).hasPassed)
  for (const result of ['503', '504', 'unanswered', 'no connection']) {
    const { hasPassed, count } = await expecting('200', result)
    assert.deepEqual([hasPassed, count], [true, 2], result)
  }
  for (const results of [['500'], ['broken'], ['refused'], ['503', '500']]) {
    const { hasPassed, count, text } = await expecting('200', ...results)
    assert.deepEqual([hasPassed, count], [false, 1], results.join())
    assert.match(text, /! pages: 200 or 302 expected, not /)
  }
})

const session = (reference: string) => ({ msg: 'acknowledgement', outcome: 'accepted', repeated: false, reference })
const repetition = (reference: string) => ({ ...session(reference), repeated: true })
const row = (reference: string, state: string): Acceptance => ({ reference, state })
const attempt = (reference: string, engineStatus: number | null): Attempt => ({ reference, engineStatus })

test('log and ledger: nothing differs when the records match', () => {
  const log = [{ msg: 'decision' }, session('a'), repetition('a'), session('b'), { msg: 'acknowledgement' }]
  const rows = [row('a', 'accepted'), row('b', 'pending'), row('c', 'refused'), row('d', 'pending')]
  const attempts = [attempt('a', null), attempt('a', 302), attempt('b', null), attempt('c', 403), attempt('d', 500)]
  const { differences, sessions, rowsByState, unrecorded } = reconcile(log, rows, attempts)
  assert.deepEqual(Object.values(differences).flat(), [])
  assert.deepEqual([sessions, unrecorded, rowsByState], [2, 1, { accepted: 1, refused: 1, pending: 2 }])
})

test('log and ledger: what differs is named', () => {
  for (const [difference, log, rows, attempts] of [
    ['sessions without a row', [session('a')], [], []],
    ['accepted rows without an engine 302', [], [row('a', 'accepted')], [attempt('a', 302)]],
    ['verdicts with two rows', [], [row('a', 'pending'), row('a', 'pending')], []],
    [
      'states that do not follow from the attempts',
      [session('a')],
      [row('a', 'refused')],
      [attempt('a', 302), attempt('a', 403)],
    ],
  ] as const) {
    const { differences } = reconcile(log, rows, attempts)
    const found = Object.entries(differences).filter(([, references]) => references.length > 0)
    assert.deepEqual(found, [[difference, ['a']]])
  }
})

const TEXT = 'one hundred bytes that are echoed without a change, unless a fault of the proxy changes them: 100'

/** @returns the bytes echoed through the fault, and the state of the connection */
async function echo(t: TestContext, fault: Fault) {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket))
  const proxy = await startFaultProxy({ port: await listen(t, server) })
  t.after(proxy.close)
  const socket = connect(proxy.port, '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  proxy.set(fault)
  const outcome = { received: '', end: 'open', milliseconds: Number.NaN }
  const startedAt = performance.now()
  socket.on('data', (bytes) => {
    if (outcome.received === '') outcome.milliseconds = performance.now() - startedAt
    outcome.received += bytes
  })
  socket.on('end', () => Object.assign(outcome, { end: 'ended' }))
  socket.on('error', ({ message }) => Object.assign(outcome, { end: message }))
  socket.write(TEXT)
  return outcome
}
type Outcome = Awaited<ReturnType<typeof echo>>

const isWhole = ({ received, end }: Outcome) => received === TEXT && end === 'open'
const FAULTS: readonly [fault: Fault, shows: (outcome: Outcome) => boolean][] = [
  [{ kind: 'none' }, isWhole],
  [{ kind: 'delay', milliseconds: 200 }, (outcome) => isWhole(outcome) && outcome.milliseconds >= 199],
  [{ kind: 'half-close' }, ({ received, end }) => received === '' && end === 'ended'],
  [{ kind: 'reset' }, ({ end }) => /ECONNRESET|EPIPE/.test(end)],
  [
    { kind: 'drip', milliseconds: 20 },
    ({ received }) => received !== '' && received.length < TEXT.length / 2 && TEXT.startsWith(received),
  ],
  [{ kind: 'corrupt' }, ({ received }) => received.length === TEXT.length && received !== TEXT],
]
for (const [fault, shows] of FAULTS) {
  test(`the proxy injects: ${fault.kind}`, async (t) => {
    const outcome = await echo(t, fault)
    await until(() => shows(outcome))
  })
}

test('the proxy injects: black hole', async (t) => {
  const [outcome, other] = [await echo(t, { kind: 'black hole' }), await echo(t, { kind: 'none' })]
  await until(() => isWhole(other))
  assert.deepEqual([outcome.received, outcome.end], ['', 'open'])
})
