// Lists in every format, mixed at random, against a second implementation (obvious-list.ts). A failure prints the seed that
// repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hostEntry } from '../../../../src/engine/policy/conditions.ts'
import { ListTable } from '../../../../src/engine/policy/lists/list-table.ts'
import { HostSubject } from '../../../../src/engine/policy/subject.ts'
import { propertyRuns } from '../../../support/property-runs.ts'
import { entryFor, readText, urlFor } from '../entries-of.ts'
import { obviousList, obviouslyCovers } from './obvious-list.ts'

const label = fc.constantFrom('a', 'A', 'x-y', 'bücher')
const name = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 2 }), fc.constantFrom('example', 'Example'))
  .map(([labels, top]) => [...labels, top].join('.'))
const address = fc.constantFrom('192.0.2.1', '192.0.2.5', '2001:db8::1')
const segment = fc.constantFrom(
  'a',
  'A',
  'b',
  'shorts',
  'Shorts',
  '%61',
  '%2F',
  'a%2Fb',
  '~anna',
  'x.html',
  '',
  'sh%6Frts',
)
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'))
const url = fc
  .tuple(
    fc.oneof(name, fc.constant('192.0.2.5')),
    path.filter((one) => /^[^/]*[^/]/.test(one) && !one.startsWith('%2F')),
  )
  .map((parts) => parts.join('/'))
const target = fc.constantFrom('.', '*.', 'rpz-passthru.', 'rpz-passthru.', 'other.example.')
const type = fc.constantFrom('always_nxdomain', 'static', 'transparent', 'nodefault')
const line = fc.oneof(
  ...[name, name.map((one) => `.${one}`), name.map((one) => `*.${one}`), name.map((one) => `${one}/`)],
  ...[name.map((one) => `${one}.  # ${one}`), fc.tuple(name, name).map(([one, two]) => `0.0.0.0\t${one} ${two}`)],
  ...[name.map((one) => `0 ${one}`), name.map((one) => `||${one}^`), name.map((one) => `||${one}^$popup`)],
  ...[name.map((one) => `@@||${one}^`), name.map((one) => `${one}##.ad`), name.map((one) => `address=/${one}/0.0.0.0`)],
  ...[name.map((one) => `local=/${one}/`), name.map((one) => `server=/${one}/`)],
  name.map((one) => `local=/${one}/192.0.2.53`),
  ...[name.map((one) => `server=/${one}/192.0.2.53`), name.map((one) => `# ${one}`), name.map((one) => `not ${one}`)],
  fc.tuple(name, type).map(([one, kind]) => `\tlocal-zone: "${one}." ${kind}`),
  fc.tuple(fc.constantFrom('', '*.'), name, target).map(([prefix, one, where]) => `${prefix}${one} CNAME ${where}`),
  ...[address, fc.constantFrom('192.0.2.0/29', '192.0.2.4/31', '192.0.2.0/30', '2001:db8::/126', '192.0.2.8/30')],
  ...[url, url, url, url.map((one) => `${one}?q`), url.map((one) => `${one}/`), fc.constantFrom('example', 'a..b', '')],
)
const request = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: name }, { weight: 1, arbitrary: address }),
    fc.oneof(path, fc.constantFrom('a/../b', '')),
  )
  .map(([host, rest]) => `http://${host.includes(':') ? `[${host}]` : host}/${rest}`)

test('a list covers what the obvious implementation says', () => {
  let covered = 0
  let byUrl = 0
  let runs = 0
  const lists = fc.oneof(fc.array(line, { minLength: 1, maxLength: 8 }), fc.array(url, { minLength: 1, maxLength: 4 }))
  fc.assert(
    fc.property(
      lists,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(request, { minLength: 10, maxLength: 30 }),
      (lines, end, urls) => {
        const text = lines.join(end)
        const obvious = obviousList(text)
        const list = readText(text)
        assert.deepEqual([list.invalid, list.skipped], [obvious.malformed, obvious.skipped], text)
        const table = new ListTable(list)
        for (const one of urls) {
          const host = new URL(one).hostname.replace(/^\[|\]$/g, '')
          const subject = new HostSubject(host)
          for (const strict of [false, true]) {
            const entry = entryFor(host, list)
            const found = entry ?? urlFor(one, list, strict)
            runs++
            if (found !== undefined) covered++
            if (entry === undefined && found !== undefined) byUrl++
            const is = found === 'ambiguous' ? found : found !== undefined
            assert.equal(is, obviouslyCovers(obvious, one, strict), `${one} ${strict ? 'strictly' : ''}\n${text}`)
            // The proxy asks about no host that is not ruled.
            const source = { name: 'list', path: '', format: 'auto', optional: false, place: '' } as const
            const named = { ...source, digest: '', fileDigests: [], table }
            if (found !== undefined) assert.ok(hostEntry([named], subject), one)
          }
        }
      },
    ),
    propertyRuns(1500),
  )
  assert.ok(covered > runs / 10, `only ${covered} of ${runs} requests were covered`)
  assert.ok(byUrl > runs / 30, `only ${byUrl} of ${runs} requests were covered by a URL`)
})
