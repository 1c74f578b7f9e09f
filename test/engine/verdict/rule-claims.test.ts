import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { seal } from '../../../src/contract/verdict-url.ts'
import type { WarnOrAupRule } from '../../../src/engine/policy/policy.ts'
import { acknowledgementClaims, isAcknowledgeable, ruleClaims } from '../../../src/engine/verdict/rule-claims.ts'
import { keyring, verdictOf } from '../../support/payloads.ts'
import { openedClaims } from '../opened-claims.ts'
import { configure, NOW, policy } from '../running-engine.ts'

function warnRule(lines: string): WarnOrAupRule {
  const [rule] = configure(policy(`[[rules]]\nname = "r"\nmatch = ["*"]\naction = "warn"\n${lines}`)).policy.rules
  assert.ok(rule?.action === 'warn')
  return rule
}

test('descriptions by language, and how long an acknowledgement opens the way', () => {
  const rule = warnRule('description = "No."\ndescriptions = { de = "Nein.", pt-BR = "Não." }\nsession_minutes = 45')
  assert.deepEqual(ruleClaims(rule), {
    ...{ rule_name: 'r', rule_description: 'No.', rule_descriptions: { de: 'Nein.', 'pt-BR': 'Não.' } },
  })
  assert.deepEqual(acknowledgementClaims(rule), { session_seconds: 2700 })
  assert.ok(!('rule_descriptions' in ruleClaims(warnRule(''))))
})

test('a rule can be acknowledged while one of its codes is valid', () => {
  const expiring = warnRule(
    'override = { type = "pin", codes = [{ code = "3333", expires = 2026-12-24T20:00:00+01:00 }] }',
  )
  assert.deepEqual(acknowledgementClaims(expiring).override, { type: 'pin', length: 4 })
  assert.ok(isAcknowledgeable(expiring, Date.parse('2026-12-24T18:59:59Z')))
  assert.ok(!isAcknowledgeable(expiring, Date.parse('2026-12-24T19:00:00Z')))
})

test('a date without a time expires when the day ends, where the engine runs', () => {
  const { override } = warnRule(
    'override = { type = "passphrase", codes = [{ code = "until friday", expires = 2026-12-24 }] }',
  )
  assert.equal(override?.codes[0]?.expires, new Date(2026, 11, 25).getTime())
})

test('where the payload is full, the descriptions in other languages are left out first', () => {
  const texts = Object.fromEntries(['de', 'fr', 'it', 'es'].map((locale) => [locale, locale.repeat(500)]))
  const claims = (size: number): VerdictClaims => ({
    ...{ v: 1, ts: NOW, kind: 'block', jti: 'A'.repeat(22), destination: `https://x.example/${'x'.repeat(size)}` },
    ...{ rule_name: 'r', rule_description: 'd'.repeat(500), rule_descriptions: texts },
  })
  const open = (size: number) => {
    const query = new URL(seal(claims(size), 'https://portal.example', keyring.sealing).url).searchParams
    return { claims: openedClaims(String(query.get('p'))), p: String(query.get('p')) }
  }
  // 4,000 bytes of translations do not fit next to the rest; 2,500 bytes of URL do without them.
  const full = open(2500)
  assert.equal(full.claims.rule_descriptions, undefined)
  assert.equal(full.claims.shortened, undefined)
  assert.equal(full.claims.rule_description, 'd'.repeat(500))
  const fitting = { ...claims(10), rule_descriptions: { de: texts.de ?? '' } }
  const { url } = seal(fitting, 'https://portal.example', keyring.sealing)
  assert.deepEqual(openedClaims(String(new URL(url).searchParams.get('p'))).rule_descriptions, { de: texts.de })
  // The portal ignores what it does not use.
  assert.equal(verdictOf(url).ruleName, 'r')
})
