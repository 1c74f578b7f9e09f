// Any plaintext inside an authentic payload: it is rejected, or yields a page with only the expected elements.
import assert from 'node:assert/strict'
import { VERDICT_PATH, type Verdict } from '../../../src/contract/verdict.ts'
import { redeem } from '../../../src/contract/verdict-url.ts'
import { attributesOf, parsePage } from '../../../test/portal/markup.ts'
import { ACK_TOKEN, keyring, claims as plain } from '../../../test/support/payloads.ts'
import { startInMemoryPortal } from '../in-memory-portal.ts'
import { sealText } from '../seal-text.ts'
import type { Target } from '../target.ts'

const NOW = 1_800_000_000
const send = await startInMemoryPortal(NOW)
const acceptable = { kind: 'aup', ack_token: ACK_TOKEN } as const

export const claims: Target = {
  name: 'claims',
  seeds: [
    plain(NOW, { shortened: true }),
    plain(NOW, { kind: 'warn' }),
    plain(NOW, { ...acceptable, override: { type: 'pin', length: 4, prompt: 'PIN' }, pad: ' ' }),
    plain(NOW, {
      ...acceptable,
      override: { type: 'passphrase' },
      destination: 'https://u:p@xn--e1afmkfd.example:8443/#é',
    }),
    plain(NOW, { ...acceptable, rule_descriptions: { en: 'New.\n', 'pt-BR': '' }, session_seconds: 3600 }),
    { ...plain(NOW), unknown: { a: [1, null] } },
  ].map((one) => JSON.stringify(one)),
  tokens: [
    ...'"kind":"warn" "override":{"type":"pin"} "shortened":true "pad":" https:// http:\\/\\/[::1] \\u0000'.split(' '),
    ...'\\ud800 \\u202e </script> "><svg/onload=alert(1)> {{ ${ %3C xn-- "destination":"'.split(' '),
    "' onclick='",
    ...'"rule_name":" "rule_description":" "category":" "__proto__":{"a":1}, "session_seconds":60,'.split(' '),
    '"rule_descriptions":{"en":"',
  ],
  run(input) {
    const p = sealText(input)
    const query = `p=${p}&v=1&ts=${NOW}`
    const { verdict, refusal } = redeem(query, keyring, { now: NOW * 1000, maxAgeSeconds: 300 })
    if (refusal !== undefined) return
    assertKept(verdict)
    const { status, body, logged } = send('GET', `${VERDICT_PATH[verdict.kind]}?${query}`, ['Host', 'localhost'])
    assert.equal(status, 200)
    assert.equal(logged.length, 1)
    for (const { name, value } of attributesOf(parsePage(body.toString()))) {
      assert.doesNotMatch(name, /^(on.*|style|src)$/)
      if (name === 'href') assert.match(value, /^(\/|#|https?:\/\/|data:image\/svg\+xml,%3Csvg [^&<>]*$)/)
    }
  },
}

function assertKept(verdict: Verdict): void {
  const { destination, ruleName, ruleDescription, ruleDescriptions, category, override, ackToken, kind } = verdict
  const { sessionSeconds = 60 } = verdict
  const { href, scheme, host, rest, readableHost } = destination
  const url = new URL(href)
  assert.match(url.protocol, /^https?:$/)
  assert.equal(url.username + url.password, '')
  assert.equal(href, scheme + host + rest)
  assert.ok(readableHost === undefined || (host.includes('xn--') && /^[\p{L}\p{M}\d.-]+$/u.test(readableHost)))
  const descriptions = [...ruleDescriptions.values()]
  for (const text of [ruleName, ruleDescription, ...descriptions, category ?? '', override?.prompt ?? '']) {
    assert.ok(text.isWellFormed())
  }
  for (const text of descriptions) assert.ok(Buffer.byteLength(text) <= 1024)
  for (const tag of ruleDescriptions.keys()) assert.match(tag, /^[a-z0-9-]{2,35}$/)
  assert.ok(Number.isInteger(sessionSeconds) && sessionSeconds >= 60 && sessionSeconds <= 2_678_400)
  assert.ok(Buffer.byteLength(ruleName) <= 128 && Buffer.byteLength(ruleDescription) <= 1024)
  assert.ok(kind !== 'block' || ackToken === undefined)
  assert.ok(override === undefined || ackToken !== undefined)
}
