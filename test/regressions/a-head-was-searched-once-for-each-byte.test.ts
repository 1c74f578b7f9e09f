// Seen: a client that sent 128 KiB of carriage returns byte by byte, without a token, took 47 seconds of the engine's CPU time,
// in which no other proxy got a decision. With each byte the whole head was searched for its end again. Since there is an ICAP
// listener. A head in one piece was not affected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IcapEvent, IcapParser } from '../../src/engine/icap/parser.ts'

const HEAD = Buffer.from(`OPTIONS icap://x/reqmod ICAP/1.0\r\nX-Filler: ${'\r'.repeat(100_000)}`)
const LIMIT = 2000

/** Milliseconds of CPU time, and the first event. */
function parse(parts: readonly Buffer[]): { readonly milliseconds: number; readonly event: IcapEvent | undefined } {
  const parser = new IcapParser()
  const before = process.cpuUsage()
  let event: IcapEvent | undefined
  for (const part of parts) {
    parser.push(part)
    event ??= parser.next()
  }
  const { user, system } = process.cpuUsage(before)
  return { milliseconds: (user + system) / 1000, event }
}

const byteByByte = (bytes: Buffer) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))

test('a head that arrives byte by byte', () => {
  const { milliseconds, event } = parse(byteByByte(HEAD))
  assert.equal(event, undefined)
  assert.ok(milliseconds < LIMIT, `${milliseconds} ms`)
})

test('an end that is split between two parts is found', () => {
  const whole = 'OPTIONS icap://x/reqmod ICAP/1.0\r\nHost: x\r\n\r\n'
  for (const at of [1, 2, 3, 4]) {
    const parts = [whole.slice(0, -at), whole.slice(-at)].map((part) => Buffer.from(part))
    assert.equal(parse(parts).event?.kind, 'icap', `${at} bytes late`)
  }
})

test('control: the same head in one piece', () => {
  const { milliseconds, event } = parse([HEAD])
  assert.equal(event, undefined)
  assert.ok(milliseconds < LIMIT, `${milliseconds} ms`)
})
