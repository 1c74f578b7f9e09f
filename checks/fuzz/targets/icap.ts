// What an ICAP client sends: heads, offsets, chunks. The events are the same wherever the bytes are split, nothing follows
// what is malformed, and what is decided has one URL of one host. A host that is asked about is that of a request for it.
import assert from 'node:assert/strict'
import { isIPv6 } from 'node:net'
import { parseAskedHost } from '../../../src/engine/icap/asked-host.ts'
import { parseHttpHead } from '../../../src/engine/icap/http-head.ts'
import { type IcapEvent, IcapParser } from '../../../src/engine/icap/parser.ts'
import { parseRequester } from '../../../src/engine/icap/requester.ts'
import { parseUser } from '../../../src/engine/request/user.ts'
import { ACCEPTED, REJECTED } from '../../../test/engine/icap/messages.ts'
import { targetOf } from '../../../test/engine/request-for.ts'
import type { Target } from '../target.ts'

interface Seen {
  readonly kind: IcapEvent['kind']
  readonly event: IcapEvent
  /** The bytes of adjacent events of data, joined. */
  text: string
}

export const icap: Target = {
  name: 'icap',
  seeds: Object.values({ ...ACCEPTED, ...REJECTED }).map(([message]) => Buffer.from(message, 'latin1')),
  tokens: [
    ...[
      '\r\n\r\n',
      '0\r\n\r\n',
      '0; ieof\r\n\r\n',
      '\r\nEncapsulated: req-hdr=0, req-body=',
      '\r\nPreview: 0',
      'null-body=',
    ],
    ...[
      'REQMOD ',
      'OPTIONS ',
      'HOSTS ',
      '/hosts ',
      '\r\nX-Host: ',
      'ICAP/1.0\r\n',
      '\r\nAllow: 204',
      '\r\nX-Client-IP: ',
    ],
    ...['\r\nX-Client-Username: ', '\r\nHost: ', 'CONNECT ', ' HTTP/1.1\r\n', '\r\n ', '\r', '\n'],
    ...'. 0x7f xn-- http:// :// @ [::1] ffffffff %'.split(' '),
  ],
  run(input) {
    const whole = parse([input])
    const at = (input[0] ?? 0) % (input.length + 1)
    assert.deepEqual(shownOf(parse([input.subarray(0, at), input.subarray(at)])), shownOf(whole))
    const bytes = Array.from(input.subarray(0, 2048), (byte) => Buffer.of(byte))
    assert.deepEqual(shownOf(parse([...bytes, input.subarray(2048)])), shownOf(whole))
    checkOrder(whole)
    for (const { event } of whole) {
      if (event.kind === 'http') checkHttp(event.bytes)
      if (event.kind === 'icap') for (const encoding of ['plain', 'base64'] as const) checkUser(event, encoding)
      if (event.kind === 'icap') for (const text of event.head.hosts) checkHost(text)
    }
  },
}

function parse(parts: readonly Buffer[]): readonly Seen[] {
  const parser = new IcapParser()
  const seen: Seen[] = []
  for (const part of parts) {
    parser.push(part)
    for (let event = parser.next(); event !== undefined; event = parser.next()) {
      const text = 'bytes' in event ? event.bytes.toString('latin1') : ''
      const last = seen.at(-1)
      if (event.kind === 'data' && last?.kind === 'data') last.text += text
      else seen.push({ kind: event.kind, event, text })
    }
  }
  return seen
}

function shownOf(seen: readonly Seen[]): unknown[] {
  return seen.map(({ kind, event, text }) => {
    if (event.kind === 'icap') return event.head
    return event.kind === 'malformed' ? event.problem : [kind, text]
  })
}

function checkHost(text: string): void {
  const host = parseAskedHost(text)
  if (host === undefined) return
  assert.match(host, /^[!-~]{1,253}$/)
  assert.equal(targetOf(`http://${isIPv6(text) ? `[${text}]` : text}:8080/path`).host, host)
  assert.equal(parseAskedHost(host), host)
}

/** `icap http data? end`, or `icap end`, repeated; the last request may be incomplete or malformed. */
function checkOrder(seen: readonly Seen[]): void {
  const order = seen.map(({ kind }) => kind).join(' ')
  assert.match(order, /^((icap (http (data )?)?end ?)*)((icap ?)?(http ?)?(data ?)?)?(malformed)?$/)
  for (const { event, text } of seen) {
    if (event.kind === 'http') assert.ok(text.endsWith('\r\n\r\n') && text.length <= 131_072)
  }
}

function checkHttp(bytes: Buffer): void {
  const request = parseHttpHead(bytes)
  if (request.reason !== undefined) return
  const { destination, target, method } = request
  assert.match(method, /^[!-~]{1,32}$/)
  assert.match(target, /^\/[!-~]*$/)
  assert.match(destination.href, /^https?:\/\/[^/?#@\\\s]+\/[!-~]*$/)
  assert.ok(destination.href.length <= 8192 && !destination.href.includes('#'))
  // Of two the proxy might use the other.
  const hosts = [...bytes.toString('latin1').matchAll(/^host:[\t ]*([^\t\r\n ]*)/gim)]
  assert.ok(hosts.length <= 1)
}

function checkUser({ head }: Extract<IcapEvent, { kind: 'icap' }>, encoding: 'plain' | 'base64'): void {
  const requester = parseRequester(head, encoding, ['school\\', '@school.example'])
  if (requester.reason !== undefined || requester.user === undefined) return
  assert.ok(Buffer.byteLength(requester.user) <= 256 && !/[\p{Cc}\p{DI}]/u.test(requester.user))
  assert.equal(parseUser(requester.user, []), requester.user)
}
