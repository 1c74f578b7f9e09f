// The hosts that a proxy asks about: read as the host of a request is, or not at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAskedHost } from '../../../src/engine/icap/asked-host.ts'
import { targetOf } from '../request-for.ts'

const READ: Readonly<Record<string, string>> = {
  'news.example': 'news.example',
  'NEWS.Example': 'news.example',
  'news.example.': 'news.example',
  'news.example..': 'news.example',
  'xn--bcher-kva.example': 'xn--bcher-kva.example',
  'XN--BCHER-KVA.example': 'xn--bcher-kva.example',
  'xn--a-ecp.example': 'xn--a-ecp.example',
  _dmarc: '_dmarc',
  localhost: 'localhost',
  '192.0.2.7': '192.0.2.7',
  '192.0.2.7.': '192.0.2.7',
  '3221225991': '192.0.2.7',
  '0xC0000207': '192.0.2.7',
  '0300.0.02.07': '192.0.2.7',
  '192.0.519': '192.0.2.7',
  '2001:db8::7': '2001:db8::7',
  '[2001:DB8:0::7]': '2001:db8::7',
  '::ffff:192.0.2.7': '192.0.2.7',
  '[::ffff:c000:207]': '192.0.2.7',
  [`${'a.'.repeat(126)}b`]: `${'a.'.repeat(126)}b`,
}

const NOT_READ = [
  ...['', ' news.example', 'news.example ', 'news example', 'a'.repeat(100_000), `[${':'.repeat(1000)}]`],
  ...['b\xc3\xbccher.example', 'b\xfccher.example', 'bücher.example', '\xe3\x80\x82example', 'news\xad.example'],
  ...['news\0.example', 'news\t.example', '\\news.example', 'news.example\\', `${'a.'.repeat(127)}b`],
  ...'. ... news.example:443 192.0.2.7:80 [2001:db8::7]:80 news.example/ news.example/path /news.example'.split(' '),
  ...'user@news.example news.example? news.example#x %6eews.example news%2eexample news.example%00 %'.split(' '),
  ...'%E2%80%A5.example [] [ ] [news.example] [192.0.2.7] [2001:db8::7 2001:db8::7] [[2001:db8::7]]'.split(' '),
  ...'2001:db8::7::1 : ::1%lo [fe80::1%25eth0] [v1.x] * *.example news,example < " \' 256.0.0.1'.split(' '),
  ...'x.invalid.0 1.2.3.4.5 99999999999999 0x.0x.0x.0x.0x'.split(' '),
]

test('every spelling of a host is read as in a request', () => {
  for (const [text, host] of Object.entries(READ)) {
    assert.equal(parseAskedHost(text), host, text)
    const authority = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text
    assert.equal(targetOf(`http://${authority}:8080/`).host, host, text)
  }
})

test('anything else is not read', () => {
  for (const text of NOT_READ) assert.equal(parseAskedHost(text), undefined, JSON.stringify(text.slice(0, 50)))
})
