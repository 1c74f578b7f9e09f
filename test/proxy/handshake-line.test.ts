// What Squid's lines about decrypted connections mean. As Squid 5.7 and 6.13 write them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Handshake, parseHandshakeLine } from '../../src/proxy/handshakes/handshake-line.ts'

const parse = parseHandshakeLine
const pinned = (outcome: Handshake['outcome']): Handshake => ({ client: '192.0.2.7', host: 'pinned.example', outcome })
const connect = (error: string, detail: string) => parse(`192.0.2.7 ${error} ${detail} CONNECT pinned.example`)

describe('lines about handshakes', () => {
  test('what the client does', () => {
    assert.deepEqual(connect('-', '-'), pinned('completed'))
    for (const [reason, detail] of Object.entries({
      'unknown CA': 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000418+TLS_IO_ERR=1',
      'certificate unknown': 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000416+TLS_IO_ERR=1',
      'bad certificate': 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000412+TLS_IO_ERR=1',
      closed: 'SQUID_TLS_ERR_ACCEPT+TLS_IO_ERR=5',
    })) {
      assert.deepEqual(connect('ERR_SECURE_ACCEPT_FAIL', detail), pinned('broken-off'), reason)
    }
    assert.deepEqual(parse('192.0.2.7 - - GET pinned.example'), pinned('used'))
    // Also one that is refused.
    assert.deepEqual(parse('192.0.2.7 503:ERR_DNS_FAIL - POST pinned.example'), pinned('used'))
  })

  test('what says nothing about the client’s trust', () => {
    for (const [reason, error, detail] of [
      ['an old version of TLS', 'ERR_SECURE_ACCEPT_FAIL', 'SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000102+TLS_IO_ERR=1'],
      ['the origin’s certificate', 'ERR_SECURE_CONNECT_FAIL', 'SQUID_X509_V_ERR_DOMAIN_MISMATCH+broken_cert'],
      ['no TLS', 'ERR_PROTOCOL_UNKNOWN', 'exception=18686e4e'],
      ['closed before it began', 'ERR_CLIENT_GONE', 'WITH_CLIENT'],
      ['denied', 'ERR_ACCESS_DENIED', '-'],
    ] as const) {
      assert.equal(connect(error, detail), undefined, reason)
    }
  })

  test('a host is a name, in canonical form', () => {
    assert.equal(parse('192.0.2.7 - - CONNECT News.EXAMPLE.')?.host, 'news.example')
    for (const host of [
      '-',
      '192.0.2.9',
      '2001:db8::1',
      '[2001:db8::1]',
      'a%22b%5Cc%20d%0Ae.example',
      'a"b',
      '%0a',
      'a..b',
      '*',
      '.bank.example',
      'x'.repeat(300),
    ]) {
      assert.equal(parse(`192.0.2.7 - - CONNECT ${host}`), undefined, host)
    }
  })

  test('nothing with other fields', () => {
    for (const line of ['', '192.0.2.7 - - CONNECT', '192.0.2.7 - - CONNECT a.example b.example']) {
      assert.equal(parse(line), undefined, line)
    }
  })
})
