// From Markdown to markup: the output of each construct, and that there is never any other.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PolicyFault } from '../../../src/aup/fault.ts'
import { parseMarkdown } from '../../../src/aup/markdown.ts'
import { operatorPolicy } from '../../../src/portal/page/operator-text.ts'
import { catalogue } from '../../support/catalogue.ts'
import { HOSTILE_MARKDOWN } from '../../support/hostile.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { attributesOf, type Element, elements, parsePage, textOf } from '../markup.ts'

/** The markup of an English text on an English page. */
function markup(source: string): string {
  return operatorPolicy({ nodes: parseMarkdown(source), locale: 'en' }, 'en', catalogue.en.aup).toString()
}

/** The same without the page's heading, the surrounding element and line breaks between elements. */
function inside(source: string): string {
  const { 1: text = '' } = /<div>(.*)<\/div>$/s.exec(markup(source)) ?? []
  return text.replaceAll(/\n(?=<|$)/g, '')
}

describe('output', () => {
  const cases: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    paragraphs: [['a\nb\n\nc', '<p>a\nb</p><p>c</p>']],
    'hard line breaks': [['a  \nb\\\nc', '<p>a<br>b<br>c</p>']],
    'lines with bold labels': [
      ['**Version:** 1\n__Date:__ 2', '<p><strong>Version:</strong> 1<br><strong>Date:</strong> 2</p>'],
      ['**a** b\nc', '<p><strong>a</strong> b\nc</p>'],
    ],
    lists: [
      ['- a\n- b\n  1. c', '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>'],
      ['- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
      ['3) a\n4) b', '<ol start="3"><li>a</li><li>b</li></ol>'],
      ['1. a\n2.\n3. c', '<ol><li>a</li><li></li><li>c</li></ol>'],
    ],
    emphasis: [
      ['*a* **b** _c_ __d__', '<p><em>a</em> <strong>b</strong> <em>c</em> <strong>d</strong></p>'],
      ['***a***', '<p><em><strong>a</strong></em></p>'],
    ],
    'code spans': [['`<b> &amp;`', '<p><code translate="no">&lt;b&gt; &amp;amp;</code></p>']],
    'block quotes': [['> a\n> > b', '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>']],
    links: [
      ['[a](https://x.example)', '<p><a href="https://x.example/" rel="noopener noreferrer">a</a></p>'],
      ['[a](<HTTP://X.example/ü> "title")', '<p><a href="http://x.example/%C3%BC" rel="noopener noreferrer">a</a></p>'],
      ['<a@x.example>', '<p><a href="mailto:a@x.example" rel="noopener noreferrer">a@x.example</a></p>'],
      ['[](https://x.example)', '<p><a href="https://x.example/" rel="noopener noreferrer">https://x.example/</a></p>'],
    ],
    'text of links that may not be': [
      ['[a *b*](javascript:alert(1)) [c](/terms) [d](#e) [f]()', '<p>a <em>b</em> c d f</p>'],
      ['[a](//x.example) [b](tel:1) [c](https://u:p@x.example)', '<p>a b c</p>'],
      ['<ftp://x.example>', '<p>ftp://x.example</p>'],
    ],
    'no link in a link': [
      [
        '[a <https://x.example/b> c](https://x.example/)',
        '<p><a href="https://x.example/" rel="noopener noreferrer">a https://x.example/b c</a></p>',
      ],
    ],
    'what was typed, of HTML and of what is not supported': [
      ['<b>a</b>', '<p>&lt;b&gt;a&lt;/b&gt;</p>'],
      ['<div>\n*a*\n</div>', '<p>&lt;div&gt;<em>a</em>\n&lt;/div&gt;</p>'],
      ['~~a~~ | b', '<p>~~a~~ | b</p>'],
      ['    a', '<p>a</p>'],
      ['```yaml\na\n  b\n\n*c*\n```', '<p><code translate="no">a<br>\u00a0\u00a0b<br><br>*c*</code></p>'],
      ['| a | *b* |\n|---|:-:|\n| c | d |\n\ne\nf', '<p>| a | <em>b</em> |<br>|---|:-:|<br>| c | d |</p><p>e\nf</p>'],
      ['https://x.example', '<p>https://x.example</p>'],
      ['a <!-- b', '<p>a &lt;!-- b</p>'],
    ],
    'nothing of images, comments, rules and what is empty': [
      ['a ![b](c) d', '<p>a  d</p>'],
      ['a\n\n![b](c)\n\n# ![d](e)\n\nf', '<p>a</p><p>f</p>'],
      ['a <!-- b --> c <!--> d <!---> e', '<p>a  c  d  e</p>'],
      ['a\n\n<!--\n\n# b\n-->\n\nc', '<p>a</p><p>c</p>'],
      ['a\n\n---\n\nb\n\n***', '<p>a</p><p>b</p>'],
    ],
    'comments separate, and remain in code': [
      ['1. a\n2. b\n\n<!-- c -->\n\n1. d\n2. e', '<ol><li>a</li><li>b</li></ol><ol><li>d</li><li>e</li></ol>'],
      ['1. a\n<!-- c -->\n2. b', '<ol><li>a</li></ol><ol start="2"><li>b</li></ol>'],
      ['- a\n\n<!-- --> <!-- -->\n\n- b', '<ul><li>a</li></ul><ul><li>b</li></ul>'],
      ['> a\n> <!-- c\n> d -->\n> b', '<blockquote><p>a</p><p>b</p></blockquote>'],
      ['a <!-- b\n\nc --> d', '<p>a  d</p>'],
      [
        '`<!-- a -->` <!-- b --> `` ` <!-- c --> ``',
        '<p><code translate="no">&lt;!-- a --&gt;</code>  <code translate="no">` &lt;!-- c --&gt;</code></p>',
      ],
      ['```\n<!-- a -->\n```\n<!-- b -->', '<p><code translate="no">&lt;!-- a --&gt;</code></p>'],
      ['a ` b <!-- c --> d', '<p>a ` b  d</p>'],
    ],
    'no metadata': [
      ['---\ntitle: a\ntags:\n  - b\n# c\ndate:\n---\n\nd', '<p>d</p>'],
      ['\ufeff\r\n---\r\ntitle: "a"\r\n...\r\nd'.slice(1), '<p>d</p>'],
      ['+++\ntitle = "a"\n[b]\nc = [\n  1\n]\n+++\nd', '<p>d</p>'],
    ],
    'but everything that only resembles metadata': [
      ['---\n\nAll users: read this\n\n---\n\nb', '<p>All users: read this</p><p>b</p>'],
      ['---\nNo games.\n---\nb', '<h2>No games.</h2><p>b</p>'],
      ['---\nAll users must: obey\n\n---\nb', '<p>All users must: obey</p><p>b</p>'],
      ['---\ntitle: a\n\nb', '<p>title: a</p><p>b</p>'],
    ],
    'characters by their names': [['&lt;b&gt; &copy; &#x41; \\*a\\*', '<p>&lt;b&gt; © A *a*</p>']],
  }
  for (const [name, pairs] of Object.entries(cases)) {
    test(name, () => {
      for (const [source, expected] of pairs) assert.equal(inside(source), expected)
    })
  }
})

describe('the outline', () => {
  const outline = (source: string) =>
    Array.from(markup(source).matchAll(/<(h\d)>(.*?)<\/\1>/gs), ([, name, text]) => `${name} ${text}`)
  const own = `h2 ${catalogue.en.aup.policyHeading}`

  test('the title of a text replaces the page’s heading', () => {
    const levels = outline('# A\n## B\n### C\n#### D\n##### E\n###### F')
    assert.deepEqual(levels, ['h2 A', 'h3 B', 'h4 C', 'h5 D', 'h6 E', 'h6 F'])
    assert.deepEqual(outline('## A\n\nx'), ['h2 A'])
    assert.deepEqual(outline('A\n===\n\nB\n---'), ['h2 A', 'h3 B'])
  })
  test('a text without a title is below the page’s heading', () => {
    assert.deepEqual(outline('x\n\n# A\n## B'), [own, 'h3 A', 'h4 B'])
    assert.deepEqual(outline('# A\n# B'), [own, 'h3 A', 'h3 B'])
    assert.deepEqual(outline('## A\n# B\n## C'), [own, 'h3 A', 'h3 B', 'h4 C'])
  })
  test('no level is ever skipped on the way down', () => {
    const levels = outline('# A\n#### B\n#### C\n### D\n## E\n###### F')
    assert.deepEqual(levels, ['h2 A', 'h3 B', 'h3 C', 'h3 D', 'h3 E', 'h4 F'])
  })
  test('headings in quotes and lists count', () => {
    assert.deepEqual(outline('# A\n\n> ### B\n\n- ## C\n  ### D'), ['h2 A', 'h3 B', 'h3 C', 'h4 D'])
  })
  test('any sequence of headings stays below the page’s and skips no level', () => {
    const levels = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(levels, fc.boolean(), (written, introduced) => {
        const source = `${introduced ? 'x\n\n' : ''}${written.map((level) => `${'#'.repeat(level)} A`).join('\n')}`
        const found = outline(source).map((heading) => Number(heading[1]))
        assert.equal(found[0], 2)
        for (const [index, level] of found.entries()) {
          assert.ok(level >= 2 && level <= 6 && (index === 0 || level <= (found[index - 1] as number) + 1))
        }
        const last = written.length - 1
        if (last > 0 && (written[last] as number) > (written[last - 1] as number)) {
          assert.ok((found.at(-1) as number) > (found.at(-2) as number) || found.at(-1) === 6)
        }
      }),
    )
  })
})

test('a text in another language than the page is marked; the page’s heading is in the page’s language', () => {
  const german = { nodes: parseMarkdown('a\n\n# b'), locale: 'de' } as const
  assert.equal(
    operatorPolicy(german, 'fr', catalogue.fr.aup).toString(),
    `<h2>${catalogue.fr.aup.policyHeading}</h2>\n<div lang="de">\n<p>a</p>\n<h3>b</h3>\n</div>`,
  )
  assert.match(operatorPolicy(german, 'de', catalogue.de.aup).toString(), /<div>/)
})

describe('no other output', () => {
  const PLAIN = 'p ul li blockquote em strong code br h2 h3 h4 h5 h6'.split(' ')
  const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
    ...Object.fromEntries(PLAIN.map((name) => [name, /^$/])),
    html: /^$/,
    div: /^$/,
    ol: /^(start)?$/,
    code: /^translate$/,
    a: /^href,rel$/,
  }

  function assertHarmless(source: string): void {
    let text: string
    try {
      text = markup(source)
    } catch (error) {
      assert.ok(error instanceof PolicyFault, String(error))
      return
    }
    const page = parsePage(`<!doctype html>\n<html>${text}</html>`)
    assertAllowed(page, source)
    for (const { element, name, value } of attributesOf(page)) {
      if (name === 'start') assert.match(value, /^[0-9]{1,9}$/)
      if (name === 'rel') assert.equal(value, 'noopener noreferrer')
      if (name !== 'href') continue
      assert.equal(element, 'a')
      const url = new URL(value)
      assert.ok(['http:', 'https:', 'mailto:'].includes(url.protocol), value)
      // Parsed in the same way by every browser.
      assert.equal(url.href, value)
      assert.deepEqual([url.username, url.password], ['', ''])
      assert.match(value, /^[\x21-\x7e]+$/)
    }
    for (const link of elements(page, 'a')) {
      assert.equal(elements(link, 'a').length, 0, `a link in a link: ${source}`)
      assert.notEqual(textOf(link).trim(), '', `a link without a name: ${source}`)
    }
  }

  function assertAllowed({ name, attributes, children }: Element, source: string): void {
    assert.match(Object.keys(attributes).join(), ATTRIBUTES[name] ?? /no such element/, `<${name}> of ${source}`)
    for (const child of children) if (typeof child !== 'string') assertAllowed(child, source)
  }

  test('for a corpus, each alone and in every construct with text', () => {
    for (const hostile of HOSTILE_MARKDOWN) {
      const places = [
        hostile,
        `# ${hostile}`,
        `> ${hostile}`,
        `- ${hostile}`,
        `*${hostile}*`,
        `**a ${hostile} b**`,
        `\`${hostile}\``,
        `[${hostile}](https://x.example)`,
        `[x](https://x.example "${hostile}")`,
        `![${hostile}](x)`,
        `[x]: https://x.example '${hostile}'\n\n[x]`,
        `a${hostile}b`,
      ]
      for (const place of places) assertHarmless(place)
    }
  })

  test('for any mixture of it', () => {
    const pieces = fc.oneof(
      fc.constantFrom(...HOSTILE_MARKDOWN),
      fc.constantFrom(...'[ ] ( ) < > ! ` * _ # > - + 1. \\ & ; : " \' / = | ~ { } @ . \n \n\n \t a'.split(' '), ' '),
      fc.constantFrom('](', '![', '<!--', '-->', '&#', 'javascript:', 'https://x.example/', '[x]: ', '  \n', '\n    '),
      fc.string({ unit: 'binary', maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => assertHarmless(parts.join(''))),
      propertyRuns(700),
    )
  })
})
