import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { endToEndHeaders, headerValues } from '../../../../src/portal/acknowledgement/engine-client/hop-by-hop.ts'
import { propertyRuns } from '../../../support/property-runs.ts'

const HOP_BY_HOP = [
  'Connection',
  'Keep-Alive',
  'Proxy-Authenticate',
  'Proxy-Authentication-Info',
  'Proxy-Authorization',
  'Proxy-Connection',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
]

describe('what stays behind', () => {
  for (const name of HOP_BY_HOP) {
    test(name, () => {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
        assert.deepEqual(endToEndHeaders(['A', '1', spelling, 'x', 'B', '2', spelling, 'y']), ['A', '1', 'B', '2'])
      }
    })
  }
  test('every name in Connection, however it is written, before it and after', () => {
    const raw = [
      'X-A',
      '1',
      'Connection',
      'close, x-a ,,\tX-B',
      'x-b',
      '2',
      'X-C',
      '3',
      'CONNECTION',
      'X-c',
      'X-D',
      '4',
    ]
    assert.deepEqual(endToEndHeaders(raw), ['X-D', '4'])
  })
})

describe('headers that are relayed', () => {
  test('Location, although Connection names it', () => {
    assert.deepEqual(endToEndHeaders(['Connection', 'location, LOCATION', 'lOcation', 'https://a/']), [
      'lOcation',
      'https://a/',
    ])
  })
  test('names that only look like one of the list', () => {
    const raw = ['Proxy-Status', 'a', 'TEE', 'b', 'Trailers', 'c', 'X-Connection', 'X-A', 'X-A', 'd', '__proto__', 'e']
    assert.deepEqual(endToEndHeaders(raw), raw)
  })
  test('everything else: in order, doubled, spelt as it was, byte for byte', () => {
    const name = fc.constantFrom('Set-Cookie', 'set-cookie', 'X-A', 'x-b', 'Content-Type', 'constructor', 'Date')
    const value = fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((byte) => String.fromCharCode(byte)) })
    const header = fc.tuple(name, value)
    const dropped = fc.tuple(fc.constantFrom(...HOP_BY_HOP.filter((one) => one !== 'Connection')), value)
    const headers = fc.array(fc.oneof(header, dropped))
    fc.assert(
      fc.property(headers, (all) => {
        const kept = all.filter(([one]) => !HOP_BY_HOP.includes(one))
        assert.deepEqual(endToEndHeaders(all.flat()), kept.flat())
      }),
      propertyRuns(200),
    )
  })
})

test('the values of one header, in order', () => {
  const raw = ['Location', 'a', 'X', 'location', 'LOCATION', 'b', 'location', '']
  assert.deepEqual(headerValues(raw, 'location'), ['a', 'b', ''])
  assert.deepEqual(headerValues(raw, 'retry-after'), [])
})
