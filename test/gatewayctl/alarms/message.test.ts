// The mail and the JSON: bounded, on their own lines, and without what a finding's text could smuggle in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageAbout } from '../../../src/gatewayctl/alarms/message.ts'
import type { Remembered } from '../../../src/gatewayctl/alarms/rounds.ts'

const NOW = Date.UTC(2026, 10, 27, 2, 15)
const UNTOLD = { what: 'nothing', alarmedAt: null } as const

function remembered(id: string, summary: string): Remembered {
  return {
    ...{ id, summary, remedy: 'df -h', since: NOW - 600_000, until: NOW - 60_000 },
    ...{ found: 2, missed: 0, isConfirmed: true, told: { mail: UNTOLD, webhook: UNTOLD } },
  }
}

test('the whole mail', () => {
  const due = { alarms: [remembered('disk:/var', 'The disk is full')], ended: [remembered('engine', 'No engine')] }
  const { subject, text, json } = messageAbout(due, 'portal.example', NOW)
  assert.equal(subject, '[portal.example] ALARM: disk:/var; ended: engine')
  assert.equal(
    text,
    `Gateway portal.example, 2026-11-27 02:15 UTC

ALARM  The disk is full
       since 2026-11-27 02:05 UTC
       to do: df -h

ENDED  No engine
       from 2026-11-27 02:05 UTC to 2026-11-27 02:14 UTC

An alarm is repeated once an hour while its cause lasts. On the gateway: gatewayctl alarms list
`,
  )
  assert.deepEqual(json, {
    gateway: 'portal.example',
    time: '2026-11-27T02:15:00Z',
    alarms: [{ cause: 'disk:/var', summary: 'The disk is full', since: '2026-11-27T02:05:00Z', to_do: 'df -h' }],
    ended: [{ cause: 'engine', summary: 'No engine', since: '2026-11-27T02:05:00Z', until: '2026-11-27T02:14:00Z' }],
  })
})

const HOSTILE = 'x\r\nBcc: all@school.example\r\n\r\nENDED  \u202eevil\u0000\u2028\u001b[2J'

test('hostile text stays on its line, visible and short', () => {
  const due = { alarms: [remembered(`disk:${HOSTILE}`, HOSTILE + 'y'.repeat(1e6))], ended: [] }
  const { subject, text, json } = messageAbout(due, HOSTILE, NOW)
  assert.ok([...subject].length <= 151)
  assert.ok(text.length < 2000)
  for (const line of [subject, ...text.split('\n')]) {
    assert.doesNotMatch(line, /[\p{C}\p{Zl}\p{Zp}]/u)
    assert.doesNotMatch(line, /^(Bcc|ENDED)/)
  }
  assert.match(text, /ALARM {2}x Bcc: all@school\.example ENDED \\u\{202e\}evil\\u\{0\}/)
  assert.doesNotMatch(JSON.stringify(json), /[\p{C}\p{Zl}\p{Zp}]/u)
})

test('hundreds of causes make one mail of bounded length', () => {
  const alarms = Array.from({ length: 300 }, (_, at) => remembered(`disk:${at}`, 'z'.repeat(5000)))
  const { text, json } = messageAbout({ alarms, ended: [] }, 'portal.example', NOW)
  assert.ok(text.length < 40_000)
  assert.match(text, /\n\nAnd 260 more\.\n\n/)
  assert.ok(JSON.stringify(json).length < 40_000)
})
