// Markdown of any kind becomes a tree in linear time, and a tree that no stack is too small for. What it becomes:
// test/portal/verdict/operator-policy.test.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PolicyFault } from '../../src/aup/fault.ts'
import { parseMarkdown } from '../../src/aup/markdown.ts'
import { cpuMilliseconds } from '../support/cpu-time.ts'
import { nodeSeconds } from '../support/processes.ts'

/** A quarter of the maximum: linear time is a quarter, too, and quadratic time would still be seconds. */
const BYTES = 64 * 1024

/** Milliseconds that parsing takes. */
function cost(source: string): number {
  return cpuMilliseconds(() => {
    try {
      parseMarkdown(source)
    } catch (error) {
      assert.ok(error instanceof PolicyFault)
    }
  })
}

describe('time', () => {
  test('100,000 nested brackets take less than 35 starts of Node, and at most eight times as long as 25,000', (t) => {
    const pairs: readonly (readonly [string, string])[] = [
      ['[', ']'],
      ['[', '](https://x.example)'],
      ['![', '](x)'],
      ['*a ', ' a*'],
    ]
    const most = 35_000 * nodeSeconds()
    for (const [open, close] of pairs) {
      const [quarter, whole] = [25_000, 100_000].map((count) => cost(open.repeat(count) + close.repeat(count)))
      t.diagnostic(`${open}${close}: ${quarter?.toFixed()} ms, ${whole?.toFixed()} ms`)
      assert.ok(Number(whole) < Math.min(most, 8 * Number(quarter)), `${open}${close}: ${whole}`)
    }
  })

  test('a long file, for every pattern that is known to slow Markdown parsers down', (t) => {
    const parts = [
      '[',
      '[a](',
      '[a](<b',
      '[a\n',
      '[a]: b "\n',
      '*a _b ',
      'a**b',
      '> ',
      '- ',
      '> - ',
      '- a\n',
      '`` ` ',
      '<a:',
    ]
    parts.push(
      '<!--',
      '<!-- --',
      '<!-- a -->',
      'a\n<!-- a -->\n',
      '&#x',
      '\\[',
      '# ',
      'a\n-\n',
      ' ',
      'a `',
      '```\n',
      '|-|\n',
    )
    for (const part of [...parts, `${'> '.repeat(30)}\n${'a\n'.repeat(1000)}`]) {
      const milliseconds = cost(part.repeat(BYTES / part.length))
      t.diagnostic(`${JSON.stringify(part.slice(0, 20))}: ${Math.round(milliseconds)} ms`)
      assert.ok(milliseconds < 1250, `${part}: ${milliseconds}`)
    }
  })
})

describe('nesting', () => {
  const nested: Readonly<Record<string, (depth: number) => string>> = {
    lists: (depth) => `${'- '.repeat(depth)}x`,
    'numbered lists': (depth) => `${'1. '.repeat(depth)}x`,
    quotes: (depth) => `${'> '.repeat(depth)}x`,
    emphasis: (depth) => `${'*a '.repeat(depth)}${'a* '.repeat(depth)}`,
    'lists in quotes': (depth) => `${'> - '.repeat(depth / 2)}x`,
  }
  for (const [name, markdown] of Object.entries(nested)) {
    test(`${name}: 8 levels are shown completely, more are rejected, because parsers drop what is nested too deeply`, () => {
      assert.ok(parseMarkdown(markdown(8)).length > 0)
      for (const depth of [10, 12, 20, 100, 1000, 20_000]) {
        const rejected = /^must nest lists, quotes, emphasis and links at most 8 deep; it goes deeper$/
        assert.throws(() => parseMarkdown(markdown(depth)), { name: 'PolicyFault', message: rejected })
      }
    })
  }
})
