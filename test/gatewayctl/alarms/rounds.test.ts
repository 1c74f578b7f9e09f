// When an alarm is sent, repeated, and ended: with a clock of the test's own.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  afterRound,
  afterTelling,
  CHANNELS,
  type Channel,
  type Due,
  dueFor,
  type Remembered,
  withoutChannel,
} from '../../../src/gatewayctl/alarms/rounds.ts'

const START = Date.UTC(2026, 10, 27, 2)
const MINUTE = 60_000
const ENGINE = { id: 'engine', summary: 'The engine does not respond', remedy: 'systemctl status gateway-engine' }
const DISK = { id: 'disk:/var/log', summary: 'The disk is full', remedy: 'df -h' }

/** A watcher with a round every two minutes; each round says what was due, and sends it unless the channel is broken. */
function watcher(channels: readonly Channel[] = ['mail']) {
  let remembered: readonly Remembered[] = []
  let now = START
  const broken = new Set<Channel>()
  const names = (due: Due) => [...due.alarms.map(({ id }) => id), ...due.ended.map(({ id }) => `ended ${id}`)]
  return {
    broken,
    remembered: () => remembered,
    now: () => now,
    round(causes: readonly (typeof ENGINE)[], { unknown = [] as string[], minutes = 2 } = {}) {
      now += minutes * MINUTE
      remembered = afterRound(remembered, causes, unknown, now)
      for (const one of CHANNELS.filter((name) => !channels.includes(name)))
        remembered = withoutChannel(remembered, one)
      const sent = channels.map((channel): [Channel, readonly string[]] => {
        const due = dueFor(channel, remembered, now)
        if (!broken.has(channel)) remembered = afterTelling(remembered, channel, due, now)
        return [channel, names(due)]
      })
      return channels.length === 1 ? sent[0]?.[1] : Object.fromEntries(sent)
    },
  }
}

test('one restart is no alarm: a cause counts in the second round in a row, a minute after the first', () => {
  const { round } = watcher()
  assert.deepEqual(round([ENGINE]), [])
  assert.deepEqual(round([]), [])
  assert.deepEqual(round([ENGINE]), [])
  assert.deepEqual(round([]), [])
  assert.deepEqual(round([]), [])
  assert.deepEqual(round([ENGINE]), [])
  // By hand, right after the timer's.
  assert.deepEqual(round([ENGINE], { minutes: 0.1 }), [])
  assert.deepEqual(round([ENGINE]), ['engine'])
})

test('due causes are grouped, each at most once an hour, and once more when it has ended', () => {
  const { round, remembered } = watcher()
  round([ENGINE, DISK])
  assert.deepEqual(round([ENGINE, DISK]), ['engine', 'disk:/var/log'])
  for (let minutes = 2; minutes < 60; minutes += 2) assert.deepEqual(round([ENGINE, DISK]), [], `${minutes}`)
  assert.deepEqual(round([ENGINE, DISK]), ['engine', 'disk:/var/log'])
  assert.deepEqual(round([DISK]), [])
  assert.deepEqual(round([DISK]), ['ended engine'])
  assert.deepEqual(round([DISK]), [])
  const { since, until } = remembered().find(({ id }) => id === 'engine') ?? assert.fail()
  assert.deepEqual([since, until], [START + 2 * MINUTE, START + 64 * MINUTE])
})

test('one that comes and goes is not sent more often', () => {
  const { round } = watcher()
  let sent = 0
  let ended = 0
  for (let minutes = 0; minutes < 180; minutes += 10) {
    for (const causes of [[ENGINE], [ENGINE], [], [], []]) {
      const due = round(causes) as readonly string[]
      sent += due.filter((one) => one === 'engine').length
      ended += due.filter((one) => one === 'ended engine').length
    }
  }
  assert.ok(sent <= 3 && sent >= 2, `${sent}`)
  assert.ok(ended <= sent + 1, `${ended}`)
})

test('what could not be sent stays due, also when it has ended meanwhile', () => {
  const { round, broken, remembered } = watcher()
  broken.add('mail')
  round([ENGINE])
  for (let at = 0; at < 5; at++) assert.deepEqual(round([ENGINE]), ['engine'])
  for (let at = 0; at < 50; at++) round([])
  assert.equal(remembered().length, 1)
  broken.clear()
  assert.deepEqual(round([]), ['ended engine'])
  assert.deepEqual(round([]), [])
})

test('an end that could not be sent is sent with the next occurrence as one', () => {
  const { round, broken, remembered } = watcher()
  broken.add('mail')
  for (const causes of [[ENGINE], [ENGINE], [], [], [ENGINE]]) round(causes)
  broken.clear()
  assert.deepEqual(round([ENGINE]), ['engine'])
  assert.equal(remembered()[0]?.since, START + 2 * MINUTE)
})

test('each channel is told on its own', () => {
  const { round, broken } = watcher(['mail', 'webhook'])
  broken.add('mail')
  round([ENGINE])
  assert.deepEqual(round([ENGINE]), { mail: ['engine'], webhook: ['engine'] })
  assert.deepEqual(round([ENGINE]), { mail: ['engine'], webhook: [] })
  broken.clear()
  assert.deepEqual(round([ENGINE]), { mail: ['engine'], webhook: [] })
  assert.deepEqual(round([ENGINE]), { mail: [], webhook: [] })
})

test('what a round cannot find out has not ended', () => {
  const { round } = watcher()
  round([DISK])
  assert.deepEqual(round([DISK]), ['disk:/var/log'])
  for (let at = 0; at < 5; at++) assert.deepEqual(round([], { unknown: ['disk'] }), [])
  assert.deepEqual([round([]), round([])], [[], ['ended disk:/var/log']])
})

describe('what is remembered', () => {
  test('is forgotten an hour after its end', () => {
    const { round, remembered } = watcher()
    for (const causes of [[ENGINE], [ENGINE], [], []]) round(causes)
    assert.equal(remembered().length, 1)
    round([], { minutes: 61 })
    assert.deepEqual(remembered(), [])
  })
  test('is bounded', () => {
    const { round, remembered } = watcher()
    round(Array.from({ length: 5000 }, (_, at) => ({ ...DISK, id: `disk:${at}` })))
    assert.equal(remembered().length, 200)
  })
  test('does not silence alarms when the clock was set back', () => {
    const { round } = watcher()
    round([ENGINE])
    assert.deepEqual(round([ENGINE]), ['engine'])
    assert.deepEqual(round([ENGINE], { minutes: -60 * 24 }), ['engine'])
    assert.deepEqual(round([ENGINE]), [])
    assert.deepEqual(round([ENGINE], { minutes: 58 }), ['engine'])
  })
})
