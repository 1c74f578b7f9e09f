// The operator's Markdown: a tree of known nodes with harmless links, rendered to the same elements only.
import assert from 'node:assert/strict'
import { PolicyFault } from '../../../src/aup/fault.ts'
import { type PolicyNode, parseMarkdown } from '../../../src/aup/markdown.ts'
import { operatorPolicy } from '../../../src/portal/page/operator-text.ts'
import { attributesOf, parsePage } from '../../../test/portal/markup.ts'
import { catalogue } from '../../../test/support/catalogue.ts'
import { HOSTILE_MARKDOWN } from '../../../test/support/hostile.ts'
import type { Target } from '../target.ts'

export const markdown: Target = {
  name: 'markdown',
  seeds: [
    ...HOSTILE_MARKDOWN,
    '# A *b* **c** `d`\n\n1. x\n2. y\n   - z\n\n> q\n\n[l](https://x.example "t") <a@b.example>\n\nSetext\n===',
  ],
  tokens: [
    ...['# ', '\n\n', '> ', '- ', '1. ', '\n===\n', '  \n', '[a]: ', '\t', '    '],
    ...'*** __ ` `` [ ]( ) ![ <!-- --> --- &#x3c; &amp; &quot; \\ javascript: mailto: <https://x> <b> data:'.split(' '),
  ],
  run(input) {
    let nodes: readonly PolicyNode[]
    try {
      nodes = parseMarkdown(input.toString())
    } catch (error) {
      assert.ok(error instanceof PolicyFault, error as Error)
      return
    }
    const markup = operatorPolicy({ nodes, locale: 'en' }, 'en', catalogue.en.aup).toString()
    const page = parsePage(`<!doctype html>\n<html>${markup}</html>`)
    for (const { element, name, value } of attributesOf(page)) {
      if (element === 'ol' && name === 'start') assert.match(value, /^\d{1,9}$/)
      else if (element === 'code' && name === 'translate') assert.equal(value, 'no')
      else if (element === 'a' && name === 'rel') assert.equal(value, 'noopener noreferrer')
      else {
        assert.ok(element === 'a' && name === 'href', `${element} ${name}`)
        assert.match(value, /^(https?:\/\/[^/\\]|mailto:)/)
      }
    }
    const tags = [...markup.matchAll(/<([a-z0-9]+)/g)]
    assert.ok(tags.length > 0, 'no element around the text')
    for (const [, name] of tags) {
      assert.match(name ?? '', /^(h[2-6]|p|ul|ol|li|blockquote|em|strong|code|br|a|div)$/)
    }
  },
}
