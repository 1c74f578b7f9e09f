// The ack_token opens only with an engine's key, and only in the payload that it was issued for.
import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Destination, parseDestination } from '../../../src/contract/destination.ts'
import {
  type AckToken,
  digestOf,
  openToken,
  sealToken,
  type TokenContext,
} from '../../../src/engine/verdict/ack-token.ts'
import { identity, newReference } from '../state/fixture.ts'

const key = createSecretKey(randomBytes(32))
const other = createSecretKey(randomBytes(32))
const destination = (url: string): Destination => parseDestination(url) ?? assert.fail(url)
const context = (changes: Partial<TokenContext> = {}): TokenContext => ({
  reference: newReference(),
  kind: 'warn',
  ruleName: 'Nachrichten (Büro)',
  destination: destination('https://news.example/today'),
  ...changes,
})
const token = (changes: Partial<AckToken> = {}): AckToken => ({
  identity: identity('2001:db8:1234:5678:9abc:def0:1234:5678', 'ä'.repeat(128)),
  expiresAt: 4_000_000_000,
  codeFormat: 6,
  digest: digestOf(destination('https://news.example/today')),
  ...changes,
})

test('opens again, with all that it holds, in at most 512 characters', () => {
  for (const one of [token(), token({ identity: identity('198.51.100.7'), codeFormat: 0, expiresAt: 1 })]) {
    const around = context()
    const text = sealToken(key, around, one)
    assert.match(text, /^[\w-]{16,512}$/)
    const { user = '', client } = one.identity
    const plaintext = 22 + client.address.length + Buffer.byteLength(user)
    assert.equal(Buffer.byteLength(text, 'base64url'), 1 + plaintext + 16, 'with a tag of 16 bytes')
    assert.deepEqual(openToken([key], around, text), one)
    assert.deepEqual(openToken([other, key], around, text), one, 'the second key of a rotation')
  }
})

test('not with another key, and not when it was changed or truncated', () => {
  const around = context()
  const text = sealToken(key, around, token())
  assert.equal(openToken([other], around, text), undefined)
  const bytes = Buffer.from(text, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    assert.equal(openToken([key], around, changed.toString('base64url')), undefined, `byte ${at}`)
    assert.equal(openToken([key], around, bytes.subarray(0, at).toString('base64url')), undefined, `${at} bytes`)
  }
  for (const garbage of ['', 'x'.repeat(512), ' '.repeat(16), '\0'.repeat(16)]) {
    assert.equal(openToken([key], around, garbage), undefined)
  }
})

test('not in another payload: verdict, kind, rule, origin', () => {
  const around = context()
  const text = sealToken(key, around, token())
  const others: Partial<TokenContext>[] = [
    { reference: newReference() },
    { reference: `${around.reference.slice(0, -1)}${around.reference.endsWith('A') ? 'B' : 'A'}` },
    { kind: 'aup' },
    { ruleName: 'another' },
    { destination: destination('https://other.example/today') },
    { destination: destination('http://news.example/today') },
    { destination: destination('https://news.example:8443/today') },
  ]
  for (const changes of others) assert.equal(openToken([key], { ...around, ...changes }, text), undefined)
  const shortened = { ...around, destination: destination('https://news.example/') }
  assert.deepEqual(openToken([key], shortened, text), token())
})
