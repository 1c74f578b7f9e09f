// The parser of the three parameters: an accepted query has each of them once, and keeps their bytes.
import assert from 'node:assert/strict'
import { parseVerdictQuery } from '../../../src/contract/verdict-url.ts'
import type { Target } from '../target.ts'

const NOW = 1_800_000_000

export const query: Target = {
  name: 'query',
  seeds: [`p=AAAA..BB.CC.DD&v=1&ts=${NOW}`, `ts=${NOW}&v=2&p=A`, 'p=&v=1&ts=1', `p=A;v=1;ts=${NOW}`, ''],
  tokens: ['p=', '&p=', 'v=1', '&v=1', '&ts=', `&ts=${NOW}`, '%70=', 'p[]=', 'P=', ';', '+', '?', '#', '&&', '0'],
  run(input) {
    const text = input.toString('latin1')
    const { query } = parseVerdictQuery(text)
    if (query === undefined) return
    const { p, ts } = query
    assert.deepEqual(text.split('&').sort(), [`p=${p}`, `ts=${ts}`, 'v=1'].sort())
    assert.equal(query.text, `p=${p}&v=1&ts=${ts}`)
    assert.ok(p !== '' && !p.includes('&') && ts >= 1e9 && ts < 1e10)
    assert.deepEqual(parseVerdictQuery(query.text).query, query)
  },
}
