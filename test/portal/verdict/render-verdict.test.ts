// Verdict pages are rendered once and filled in per visitor: no visitor's data may appear in another's page.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { type HtmlValue, html, type Placeholder } from '../../../src/html/html.ts'
import { compileTemplate } from '../../../src/portal/page/template.ts'
import { bodyText } from '../../support/body-text.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'

const portal = await startPortal({ after })

const kinds: readonly Partial<VerdictClaims>[] = [
  { kind: 'block' },
  { kind: 'warn', ack_token: 'first-first-first-first', override: { type: 'pin', prompt: 'zqfirst' } },
  { kind: 'aup', ack_token: 'first-first-first-first', override: { type: 'passphrase', prompt: 'zqfirst' } },
]

for (const base of kinds) {
  test(`${base.kind}${base.override ? `, ${base.override.type}` : ''}: the second visitor sees nothing of the first`, async () => {
    const first = claims(NOW - 7, {
      ...base,
      destination: 'https://zqfirst.example/zqfirst?zqfirst#zqfirst',
      rule_name: 'zqfirst',
      rule_description: 'zqfirst',
      category: 'zqfirst',
    })
    const target = verdictTarget(first)
    assert.match(await (await portal.get(target)).text(), /zqfirst/)

    const { override } = base
    const second = claims(NOW, {
      ...base,
      ...(base.ack_token !== undefined && { ack_token: 'second-second-second' }),
      ...(override && { override: { ...override, prompt: 'second' } }),
    })
    const page = await (await portal.get(verdictTarget(second))).text()
    assert.doesNotMatch(page, /zqfirst|first-first/)
    for (const value of [first.jti, target.split('&')[0] as string, '07:59:53']) assert.ok(!page.includes(value), value)
    assert.ok(page.includes(second.jti))
  })
}

test('a value is escaped as in the template itself, and a placeholder mark in it is only text', () => {
  const long = 'Wörter '.repeat(2000)
  const render = ({ one, other }: Record<'one' | 'other', HtmlValue>) =>
    html`<p title="${one}">${one}, ${other} – ‘ä’</p><div>${long}</div><p>${other}</p>${long}`
  const fill = compileTemplate({ one: 'any', other: 'any' }, render)
  for (const texts of [
    { one: `"<&>' é 🎲`, other: '\ufdd01\ufdd1' },
    { one: 'plain', other: '' },
  ]) {
    assert.equal(bodyText(fill(texts)), render(texts).toString())
  }
})

test('the compiler stops a page from branching on the text of one visitor', () => {
  const page = (text: Placeholder) => {
    // @ts-expect-error Text can be printed, not compared: anything to branch on belongs in the variant.
    if (text === 'https://') return html`secure`
    // @ts-expect-error Text cannot become part of a string either.
    return html`${text.toUpperCase()}`
  }
  assert.equal(page.length, 1)
})
