// The payload, with jose as a second opinion: only what was sealed opens, and whatever else arrives is refused cheaply.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { openPayload } from '../../src/contract/payload.ts'
import { deriveKeyring } from '../../src/contract/secret.ts'
import { ACK_TOKEN, claims, keyring, payloadOf, vectors } from '../support/payloads.ts'
import { propertyRuns } from '../support/property-runs.ts'

const NOW = 1_800_000_000
const isRefused = (p: string) => openPayload(p, keyring).refusal !== undefined

test('a secret derives the key and the key id of the vectors', () => {
  for (const { secret, key_hex, kid } of vectors.secrets) {
    const { sealing } = deriveKeyring([secret])
    assert.deepEqual([sealing.kid, sealing.key.export().toString('hex')], [kid, key_hex])
  }
})

describe('interoperability with jose', () => {
  test('opens what we seal', async () => {
    const sealed = payloadOf(claims(NOW))
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, keyring.sealing.key)
    assert.deepEqual(protectedHeader, { alg: 'dir', enc: 'A256GCM', kid: keyring.sealing.kid })
    assert.equal(JSON.parse(new TextDecoder().decode(plaintext)).rule_name, 'rule-example')
  })
  test('seals what we open', async () => {
    const wanted = claims(NOW, { rule_name: 'Règle «Jeux» 🎲' })
    const p = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(wanted)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyring.sealing.kid })
      .encrypt(keyring.sealing.key)
    assert.deepEqual(openPayload(p, keyring), { json: wanted })
  })
})

describe('any change is rejected', () => {
  const p = payloadOf(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN }))
  assert.ok(!isRefused(p))

  test('any flipped bit of any part', () => {
    const parts = p.split('.').map((part) => Buffer.from(part, 'base64url'))
    for (const [index, part] of parts.entries()) {
      for (let bit = 0; bit < part.length * 8; bit++) {
        const changed = Buffer.from(part)
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        const forged = parts.map((other, at) => (at === index ? changed : other).toString('base64url')).join('.')
        assert.ok(isRefused(forged), `part ${index}, bit ${bit}`)
      }
    }
  })
  test('a foreign character anywhere, inserted or replacing another', () => {
    const foreign = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 2 })
      .filter((s) => !/^[A-Za-z0-9_.-]+$/.test(s))
    fc.assert(
      fc.property(foreign, fc.nat(p.length), fc.nat(1), (extra, at, replaced) => {
        return isRefused(p.slice(0, at) + extra + p.slice(at + replaced))
      }),
      propertyRuns(5_000),
    )
  })
  test('arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), isRefused))
  })
})

describe('expensive input is rejected cheaply', () => {
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
      for (let run = 0; run < 10; run++) assert.ok(isRefused(p))
      const { user, system } = process.cpuUsage(before)
      assert.ok((user + system) / 10 < 5_000, `${(user + system) / 10} µs of CPU`)
    })
  }
})
