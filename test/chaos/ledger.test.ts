// A short chaos, and what would make it fail.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { noPostgres } from '../support/postgres-server.ts'
import { type Acceptance, type Attempt, reconcile } from './reconcile.ts'

async function chaos(t: TestContext, ...words: string[]) {
  const child = spawn(process.execPath, ['test/chaos/ledger.ts', ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  return { status, output, errors }
}

const SHORT = ['--seconds', '8', '--rate', '60', '--kill-every', '2']

for (const [database, skip] of [
  ['postgres', process.env.DATABASE_URL === undefined && noPostgres],
  ['sqlite', false],
] as const) {
  test(`kill -9 under load, ${database}: everything is on record`, { skip, timeout: 120_000 }, async (t) => {
    const { status, output, errors } = await chaos(t, ...SHORT, '--database', database)
    assert.equal(status, 0, output + errors)
    assert.match(output, /everything is on record/)
    assert.doesNotMatch(output, /FAILED/)
    for (const difference of ['sessions without a row', 'accepted rows without an engine 302', 'with two rows']) {
      assert.match(output, new RegExp(`${difference} +0\\n`))
    }
  })
}

test('says how it is used, and refuses what it does not know', async (t) => {
  const help = await chaos(t, '--help')
  assert.equal(help.status, 0)
  assert.match(help.output, /--kill-every/)
  for (const words of [['--rate', '0'], ['--database', 'mysql'], ['--fast']]) {
    const { status, errors } = await chaos(t, ...words)
    assert.equal(status, 1)
    assert.match(errors, new RegExp(words[0] as string))
  }
})

describe('what must not be', () => {
  const session = (reference: string) => ({ msg: 'acknowledgement', outcome: 'accepted', repeated: false, reference })
  const repetition = (reference: string) => ({ ...session(reference), repeated: true })
  const row = (reference: string, state: string): Acceptance => ({ reference, state })
  const attempt = (reference: string, engineStatus: number | null): Attempt => ({ reference, engineStatus })
  const found = (...sources: Parameters<typeof reconcile>) =>
    Object.entries(reconcile(...sources).differences).filter(([, references]) => references.length > 0)

  test('nothing, when all is well', () => {
    const log = [{ msg: 'decision' }, session('a'), repetition('a'), session('b'), { msg: 'acknowledgement' }]
    const rows = [row('a', 'accepted'), row('b', 'pending'), row('c', 'refused'), row('d', 'pending')]
    const attempts = [attempt('a', null), attempt('a', 302), attempt('b', null), attempt('c', 403), attempt('d', 500)]
    assert.deepEqual(found(log, rows, attempts), [])
    const { sessions, rowsByState, unsaid } = reconcile(log, rows, attempts)
    assert.deepEqual(
      { sessions, rowsByState, unsaid },
      {
        sessions: 2,
        rowsByState: { accepted: 1, refused: 1, pending: 2 },
        unsaid: 1,
      },
    )
  })
  test('a session without a row', () => {
    assert.deepEqual(found([session('a')], [], []), [['sessions without a row', ['a']]])
  })
  test('an accepted row that the engine knows nothing of', () => {
    const differences = found([session('b')], [row('a', 'accepted'), row('b', 'pending')], [attempt('a', 302)])
    assert.deepEqual(differences, [['accepted rows without an engine 302', ['a']]])
  })
  test('a verdict with two rows', () => {
    const differences = found([], [row('a', 'pending'), row('a', 'pending')], [])
    assert.deepEqual(differences, [['verdicts with two rows', ['a']]])
  })
  test('a state that does not follow', () => {
    const differences = found([session('a')], [row('a', 'refused')], [attempt('a', 302), attempt('a', 403)])
    assert.deepEqual(differences, [['states that do not follow from the attempts', ['a']]])
  })
})
