// Seen: a client that sent 128 KiB of carriage returns byte by byte, without a token, took 47 seconds of the engine's CPU time,
// in which no other proxy got a decision. With each byte the whole head was searched for its end again. Since there is an ICAP
// listener. A head in one piece was not affected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IcapEvent, IcapParser } from '../../src/engine/icap/parser.ts'
import { cpuMilliseconds } from '../support/cpu-time.ts'

const HEAD = Buffer.from(`OPTIONS icap://x/reqmod ICAP/1.0\r\nX-Filler: ${'\r'.repeat(100_000)}`)
const LIMIT = 2000

/** Milliseconds of CPU time, and the first event. */
function parse(parts: readonly Buffer[]): { readonly milliseconds: number; readonly event: IcapEvent | undefined } {
  const parser = new IcapParser()
  let event: IcapEvent | undefined
  const milliseconds = cpuMilliseconds(() => {
    for (const part of parts) {
      parser.push(part)
      event ??= parser.next()
    }
  })
  return { milliseconds, event }
}

for (const [name, parts] of [
  ['a head that arrives byte by byte', Array.from(HEAD, (_, at) => HEAD.subarray(at, at + 1))],
  ['control: the same head in one piece', [HEAD]],
] as const) {
  test(name, () => {
    const { milliseconds, event } = parse(parts)
    assert.equal(event, undefined)
    assert.ok(milliseconds < LIMIT, `${milliseconds} ms`)
  })
}

test('an end that is split between two parts is found', () => {
  const whole = 'OPTIONS icap://x/reqmod ICAP/1.0\r\nHost: x\r\n\r\n'
  for (const at of [1, 2, 3, 4]) {
    const parts = [whole.slice(0, -at), whole.slice(-at)].map((part) => Buffer.from(part))
    assert.equal(parse(parts).event?.kind, 'icap', `${at} bytes late`)
  }
})
