// The parser reads the same from the same bytes, wherever they are split, and keeps little of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IcapEvent, IcapParser } from '../../../src/engine/icap/parser.ts'
import { ACCEPTED, chunked, get, REJECTED, reqmod } from './messages.ts'

/** All events, with adjacent data joined. */
function parse(...parts: readonly (string | Buffer)[]): unknown[] {
  const parser = new IcapParser()
  const events: { kind: IcapEvent['kind']; [key: string]: unknown }[] = []
  for (const part of parts) {
    parser.push(Buffer.from(part))
    for (let event = parser.next(); event !== undefined; event = parser.next()) {
      const last = events.at(-1)
      const text = 'bytes' in event ? event.bytes.toString('latin1') : ''
      if (event.kind === 'data' && last?.kind === 'data') last.text += text
      else events.push({ ...event, bytes: undefined, text })
    }
  }
  return events
}

const FIXTURES = Object.entries({ ...ACCEPTED, ...REJECTED })

test('every message, split in two at every byte, and into single bytes', () => {
  for (const [name, [message]] of FIXTURES) {
    const bytes = Buffer.from(message, 'latin1')
    const whole = parse(bytes)
    assert.ok(whole.length > 0, name)
    for (let at = 1; at < bytes.length; at++) {
      assert.deepEqual(parse(bytes.subarray(0, at), bytes.subarray(at)), whole, `${name}, split at ${at}`)
    }
    assert.deepEqual(parse(...Array.from(bytes, (byte) => Buffer.of(byte))), whole, `${name}, byte by byte`)
  }
})

test('a body is what its chunks hold, whatever they look like', () => {
  const body = '0\r\n\r\nICAP/1.0 \xc3\xa9\r\n0; ieof\r\n\r\n'
  const message = reqmod({ http: get('http://open.example/', 'POST'), body: chunked(body, 'x'.repeat(70_000)) })
  const data = parse(Buffer.from(message, 'latin1')).find((event) => (event as IcapEvent).kind === 'data')
  assert.equal((data as { text: string }).text, body + 'x'.repeat(70_000))
})

const kinds = (...parts: readonly (string | Buffer)[]) => parse(...parts).map((event) => (event as IcapEvent).kind)
const POST = get('http://open.example/', 'POST')

test('chunk sizes, extensions and trailers have limits', () => {
  const start = (body: string) => kinds(reqmod({ http: POST, body }))
  assert.deepEqual(start(`3;${'x'.repeat(4000)}\r\nabc\r\n0\r\n\r\n`), ['icap', 'http', 'data', 'end'])
  assert.deepEqual(start(`3;${'x'.repeat(4096)}\r\n`), ['icap', 'http', 'malformed'])
  assert.deepEqual(start('x'.repeat(4096)), ['icap', 'http', 'malformed'])
  assert.deepEqual(start('fffffffffffff\r\n'), ['icap', 'http'])
  assert.deepEqual(start('ffffffffffffff\r\n'), ['icap', 'http', 'malformed'])
  for (const line of ['-1\r\n', '+1\r\n', '0x1\r\n', '1 1\r\n', '\r\n', '1\n', '1;\u0001\r\n', ' 1\r\n']) {
    assert.deepEqual(start(line), ['icap', 'http', 'malformed'], JSON.stringify(line))
  }
  assert.deepEqual(start('1\r\nabc'), ['icap', 'http', 'data', 'malformed'])
  assert.deepEqual(start('1\r\na\n\r'), ['icap', 'http', 'data', 'malformed'])
  const trailer = `X: ${'x'.repeat(1000)}\r\n`
  assert.deepEqual(start(`0\r\n${trailer.repeat(16)}\r\n`), ['icap', 'http', 'end'])
  assert.deepEqual(start(`0\r\n${trailer.repeat(17)}\r\n`), ['icap', 'http', 'malformed'])
  for (const line of ['no colon\r\n', ' X: folded\r\n', 'X: a\n', ': x\r\n']) {
    assert.deepEqual(start(`0\r\n${line}`), ['icap', 'http', 'malformed'], JSON.stringify(line))
  }
})

test('heads have a limit, whatever they are split into', () => {
  const fill = (length: number) => `X-Fill: ${'x'.repeat(length)}`
  const long = reqmod({ fields: [fill(131_072 - reqmod({ fields: [fill(0)] }).indexOf('\r\n\r\n') - 4)] })
  assert.equal(long.indexOf('\r\n\r\n') + 4, 131_072)
  assert.deepEqual(kinds(long), ['icap', 'http', 'end'])
  const longer = reqmod({ fields: [fill(131_073 - reqmod({ fields: [fill(0)] }).indexOf('\r\n\r\n') - 4)] })
  assert.deepEqual(kinds(longer), ['malformed'])
  assert.deepEqual(kinds(longer.slice(0, 131_072)), ['malformed'])
  assert.deepEqual(kinds(longer.slice(0, 131_071)), [])
  const http = `GET http://open.example/ HTTP/1.1\r\nCookie: ${'x'.repeat(131_000)}\r\n\r\n`
  assert.deepEqual(kinds(reqmod({ http })), ['icap', 'http', 'end'])
  assert.deepEqual(kinds(reqmod({ http: http.replace('Cookie: ', `Cookie: ${'x'.repeat(100)}`) })), ['malformed'])
})

test('an HTTP head ends where Encapsulated says, and not before: what follows would be forwarded undecided', () => {
  const first = get('http://open.example/')
  assert.deepEqual(kinds(reqmod({ http: first + get('http://casino.example/') })), ['icap', 'malformed'])
  assert.deepEqual(kinds(reqmod({ http: first.slice(0, -2) })), ['icap', 'malformed'])
})
