import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvLine } from '../../src/gatewayctl/portal/acceptances/csv.ts'
import { propertyRuns } from '../support/property-runs.ts'

/** Parses one line (RFC 4180), or one with another separator. */
function readLine(line: string, separator = ','): string[] {
  const cells: string[] = []
  let rest = line.replace(/\r\n$/, '')
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest)
    const end = quoted === null ? `${rest}${separator}`.indexOf(separator) : quoted[0].length
    cells.push(quoted === null ? rest.slice(0, end) : `${quoted[1]}`.replaceAll('""', '"'))
    if (rest.length <= end) return cells
    assert.equal(rest[end], separator)
    rest = rest.slice(end + 1)
  }
}

test('quotes as RFC 4180 requires, ends lines with CR LF', () => {
  const cells = ['a', null, 302, 'b, c', 'say "x"', 'two\r\nlines']
  assert.equal(csvLine(cells), 'a,,302,"b, c","say ""x""","two\r\nlines"\r\n')
})

test('an apostrophe precedes the start of a formula', () => {
  const formulas = [
    ...['=1+1', '+1', '-1', '@SUM(A1)', "=cmd|' /C calc'!A0", '-abcdefghijklmnopqrstu'],
    ...['＝1+1', '＋1', '－1', '＠SUM(A1)', '﹦1', '−1'],
    ...[' =1', '\u00a0=1', '\u3000=1', '\u200b=1', '\ufeff=1', '\u202e=1', '"=1', ' " =1'],
    ...['\t=1', '\r=1', '\n=1', '\0=1', '\t', '\rabc', '\u001babc'],
  ]
  for (const formula of formulas) {
    const [cell = ''] = readLine(csvLine([formula]))
    assert.ok(cell.startsWith("'"), JSON.stringify(cell))
    assert.equal(cell.replaceAll("'", ''), formula.replaceAll("'", ''))
  }
})

test('also after the separators of other locales', () => {
  assert.equal(csvLine(['rule;=1+1']), "rule;'=1+1\r\n")
  assert.equal(csvLine(['rule; "=1+1']), `"rule;' ""=1+1"\r\n`)
  assert.equal(csvLine(['rule\t=1+1']), "rule\t'=1+1\r\n")
  assert.equal(csvLine(['rule\n=1+1']), `"rule\n'=1+1"\r\n`)
})

test('everything else stays unchanged', () => {
  const harmless = ['2026-11-20T12:00:00.000Z', "rule 'a' = b", 'a-b', "'quoted'", '💡', '', 'x'.repeat(1e5)]
  assert.deepEqual(readLine(csvLine(harmless)), harmless)
})

test('random text survives except for apostrophes, and is no formula', () => {
  const text = fc.string({ unit: fc.constantFrom(...'=+-@"\',;|\t\r\n\0 ＝aé\u202e💡') })
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
      const line = csvLine(cells)
      const read = readLine(line)
      assert.equal(read.length, cells.length)
      for (const [at, cell] of read.entries()) {
        assert.equal(cell.replaceAll("'", ''), cells[at]?.replaceAll("'", ''))
        for (const part of cell.split(/[;\t|\r\n]/)) assert.doesNotMatch(part, /^[=+\-@＝]/)
      }
    }),
    propertyRuns(500),
  )
})
