import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { PayloadOpener } from '../../src/contract/open.ts'
import { parseVerdictQuery } from '../../src/contract/query.ts'
import { sealPayload } from '../../src/contract/seal.ts'
import { deriveKeyring } from '../../src/contract/secret.ts'
import { InvalidClaims, parseClaims, VERDICT_PATH, type Verdict } from '../../src/contract/verdict.ts'
import { ACK_TOKEN, claims, keyring, SECRET, vectors } from '../support/payloads.ts'

const NOW = 1_800_000_000

function openVector({ secret, p, v, ts }: { secret: string; p: string; v: string; ts: string }) {
  const query = parseVerdictQuery(`p=${p}&v=${v}&ts=${ts}`)
  if (typeof query === 'string') return query
  const other = vectors.secrets.map((entry) => entry.secret).find((candidate) => candidate !== secret) ?? secret
  // During a rotation the second secret opens as well as the first.
  return new PayloadOpener(deriveKeyring([other, secret])).open(query)
}

describe('the vectors', () => {
  for (const { secret, key_hex, kid } of vectors.secrets) {
    test(`derive key ${kid}`, () => {
      const { sealing } = deriveKeyring([secret])
      assert.equal(sealing.kid, kid)
      assert.equal(sealing.key.export().toString('hex'), key_hex)
    })
  }
  for (const vector of vectors.good) {
    test(`open: ${vector.name}`, () => {
      const verdict = openVector(vector)
      assert.ok(typeof verdict === 'object', `refused: ${String(verdict)}`)
      assert.equal(VERDICT_PATH[verdict.kind], vector.path)
      const { claims } = vector
      assert.equal(verdict.reference, claims.jti)
      assert.equal(verdict.issuedAt, claims.ts)
      assert.equal(verdict.destination.href, new URL(claims.destination).href)
      assert.equal(verdict.ruleName, claims.rule_name)
      assert.equal(verdict.ruleDescription, claims.rule_description)
      assert.equal(verdict.category, claims.category)
      assert.equal(verdict.ackToken, claims.ack_token)
      assert.equal(verdict.override?.type, claims.override?.type)
      assert.equal(verdict.override?.prompt, claims.override?.prompt)
    })
  }
  for (const vector of vectors.bad) {
    test(`reject: ${vector.name}`, () => {
      // The keyring of a single secret: a vector sealed with another one has to fail.
      const query = parseVerdictQuery(`p=${vector.p}&v=${vector.v}&ts=${vector.ts}`)
      if (typeof query === 'string') return assert.equal(vector.status, 400)
      const opened = new PayloadOpener(deriveKeyring([SECRET])).open(query)
      if (typeof opened === 'object') assert.notEqual(VERDICT_PATH[opened.kind], vector.path)
      assert.equal(vector.status, 403)
    })
  }
})

test('a null member is not a missing member', () => {
  const sealed = claims(NOW, { kind: 'warn', ack_token: 'x'.repeat(16) })
  assert.equal(parseClaims(sealed).shortened, false)
  for (const member of ['shortened', 'category', 'ack_token', 'override', 'pad']) {
    assert.throws(() => parseClaims({ ...sealed, [member]: null }), InvalidClaims, member)
  }
})

describe('interoperability with jose', () => {
  test('opens what we seal', async () => {
    const sealed = sealPayload(claims(NOW), keyring.sealing)
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, keyring.sealing.key)
    assert.deepEqual(protectedHeader, { alg: 'dir', enc: 'A256GCM', kid: keyring.sealing.kid })
    assert.equal(JSON.parse(new TextDecoder().decode(plaintext)).rule_name, 'rule-example')
  })
  test('seals what we open', async () => {
    const wanted = claims(NOW, { rule_name: 'Règle «Jeux» 🎲' })
    const p = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(wanted)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyring.sealing.kid })
      .encrypt(keyring.sealing.key)
    const verdict = new PayloadOpener(keyring).open({ p, ts: NOW }) as Verdict
    assert.equal(verdict.ruleName, 'Règle «Jeux» 🎲')
  })
})

describe('any change is rejected', () => {
  const opener = new PayloadOpener(keyring)
  const p = sealPayload(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN }), keyring.sealing)
  assert.equal(typeof opener.open({ p, ts: NOW }), 'object')

  test('any flipped bit of any part', () => {
    const parts = p.split('.').map((part) => Buffer.from(part, 'base64url'))
    for (const [index, part] of parts.entries()) {
      for (let bit = 0; bit < part.length * 8; bit++) {
        const changed = Buffer.from(part)
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        const forged = parts.map((other, at) => (at === index ? changed : other).toString('base64url')).join('.')
        assert.equal(typeof opener.open({ p: forged, ts: NOW }), 'string', `part ${index}, bit ${bit}`)
      }
    }
  })
  test('any flipped bit of the text', () => {
    for (let bit = 0; bit < p.length * 8; bit++) {
      const changed = Buffer.from(p, 'latin1')
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.equal(typeof opener.open({ p: changed.toString('latin1'), ts: NOW }), 'string', `bit ${bit}`)
    }
  })
  test('a foreign character anywhere, inserted or replacing another', () => {
    const foreign = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 2 })
      .filter((s) => !/^[A-Za-z0-9_.-]+$/.test(s))
    fc.assert(
      fc.property(foreign, fc.nat(p.length), fc.nat(1), (extra, at, replaced) => {
        return typeof opener.open({ p: p.slice(0, at) + extra + p.slice(at + replaced), ts: NOW }) === 'string'
      }),
      { numRuns: 5_000 },
    )
  })
  test('arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => typeof opener.open({ p: text, ts: NOW }) === 'string'),
    )
  })
})

describe('expensive input is rejected cheaply', () => {
  const opener = new PayloadOpener(keyring)
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const tail = `..${'A'.repeat(16)}.AAAA.${'A'.repeat(22)}`
  const inputs = {
    'a header nested 1,000 deep': encode('['.repeat(1000) + ']'.repeat(1000)) + tail,
    'a header of 10 KB': encode(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: 'x'.repeat(10_240) })) + tail,
    'a payload of 1 MB': 'A'.repeat(1_000_000),
  }
  for (const [name, p] of Object.entries(inputs)) {
    test(name, () => {
      const before = process.cpuUsage()
      for (let run = 0; run < 10; run++) assert.equal(typeof opener.open({ p, ts: NOW }), 'string')
      const { user, system } = process.cpuUsage(before)
      assert.ok((user + system) / 10 < 5_000, `${(user + system) / 10} µs of CPU`)
    })
  }
})
