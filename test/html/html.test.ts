import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Html, html, trusted } from '../../src/html/html.ts'
import { parsePage, textOf } from '../portal/markup.ts'

const markup = (value: Html) => value.toString()

test('text is escaped, for text and for quoted attributes', () => {
  const hostile = `<b a="1" c='2'>&amp;</b>`
  const escaped = '&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;'
  assert.equal(markup(html`<p title="${hostile}">${hostile}</p>`), `<p title="${escaped}">${escaped}</p>`)
})

test('markup is not escaped again, alone or in a list', () => {
  const item = html`<li>${'a & b'}</li>`
  assert.equal(markup(html`<ul>${[item, item]}</ul>`), '<ul><li>a &amp; b</li><li>a &amp; b</li></ul>')
  assert.equal(markup(html`${[]}`), '')
})

test('numbers are printed, false conditions print nothing', () => {
  assert.equal(markup(html`${0} ${-1.5} ${false}${undefined}`), '0 -1.5 ')
})

test('trusted text is not escaped', () => {
  assert.equal(markup(html`<style>${trusted('a > b {}')}</style>`), '<style>a > b {}</style>')
})

test('any text survives a round trip, as text and as an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const page = parsePage(`<!doctype html>\n${html`<html lang="${text}">${text}</html>`}`)
      return page.attributes.lang === text && textOf(page) === text
    }),
  )
})

describe('anything but markup is escaped or rejected', () => {
  test('at run time, everything is escaped', () => {
    const hostile = '<b>'
    const values: unknown[] = [
      [hostile],
      [[hostile]],
      { toString: () => hostile },
      { join: () => hostile },
      Promise.resolve(hostile),
      null,
      true,
      () => hostile,
      Symbol(hostile),
      new Date(Number.NaN),
    ]
    for (const value of values) {
      let made = ''
      try {
        made = markup(html`${value as string}`)
      } catch (error) {
        assert.ok(error instanceof TypeError)
      }
      assert.ok(!made.includes(hostile), made)
    }
  })

  test('no other module can create markup', () => {
    assert.throws(() => new Html('<b>', Symbol('constructor key') as never), TypeError)
    assert.throws(() => Html.prototype.toString.call({ markup: '<b>' }), TypeError)
  })
})
