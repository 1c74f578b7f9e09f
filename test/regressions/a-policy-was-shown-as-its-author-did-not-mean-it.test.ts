// Policies as they are kept in repositories: a block of metadata at the start became a heading of the page, `title: …` in large
// letters; a comment between two numbered lists was removed before the text was parsed, so that the lists became one, and the
// clauses of the second had other numbers than the ones people quote; a comment in code vanished; the lines of tables and of
// fenced code ran into one. Since operators may write the policy.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseMarkdown } from '../../src/aup/markdown.ts'
import { catalogue } from '../../src/portal/page/i18n/catalogue.ts'
import { operatorPolicy } from '../../src/portal/page/operator-text.ts'
import { elements, parsePage, textOf } from '../portal/markup.ts'

const POLICY = `---
title: Acceptable use
code: IJND
cross-refs:
  - "Handbook"
date-adoption:
---

# Network rules

1. Be kind.
2. Share no passwords.

<!-- From here on as agreed with the council. -->

1. Guests have an hour.
2. Staff have a day.

| Group | Limit |
|-------|-------|
| Guest | 1 h   |

Write \`<!-- note -->\` into your pages.
`

const markup = operatorPolicy({ nodes: parseMarkdown(POLICY), locale: 'en' }, 'en', catalogue.en.aup)
const page = parsePage(`<!doctype html>\n<html>${markup}</html>`)
const textsOf = (name: string) => elements(page, name).map(textOf)

describe('a policy with metadata, comments and a table', () => {
  test('begins with its title', () => {
    assert.deepEqual(textsOf('h2'), ['Network rules'])
    assert.doesNotMatch(textOf(page), /IJND|Handbook/)
  })
  test('keeps the numbers of its clauses', () => {
    assert.deepEqual(
      elements(page, 'ol').map((list) => elements(list, 'li').map((item) => textOf(item).trim())),
      [
        ['Be kind.', 'Share no passwords.'],
        ['Guests have an hour.', 'Staff have a day.'],
      ],
    )
    assert.doesNotMatch(textOf(page), /council/)
  })
  test('keeps the rows of its table', () => {
    const table = elements(page, 'p').find((paragraph) => textOf(paragraph).includes('Guest'))
    assert.equal(table && elements(table, 'br').length, 2)
  })
  test('keeps its code', () => {
    assert.deepEqual(textsOf('code'), ['<!-- note -->'])
  })
})

test('control: without these, a policy is what it was', () => {
  const plain = operatorPolicy({ nodes: parseMarkdown('# A\n\n1. b\n2. c\n'), locale: 'en' }, 'en', catalogue.en.aup)
  assert.match(plain.toString(), /<h2>A<\/h2>\n<ol><li>b<\/li>\n<li>c<\/li>\n<\/ol>/)
})
