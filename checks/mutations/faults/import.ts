// Policies that are imported from other products.
import { mutationsOf } from '../mutation.ts'

const PARTS = ['test/gatewayctl/import/squidguard.test.ts']
const SOURCES = 'src/gatewayctl/import/squidguard/sources.ts'

export const IMPORT_FAULTS = [
  ...mutationsOf('src/gatewayctl/import/squidguard/rules.ts', PARTS, [
    ['what is passed for a time is passed at any time', 'not(part.timeline)', 'part.timeline'],
  ]),
  ...mutationsOf(SOURCES, PARTS, [
    ['a source that is more than its network is everyone in it', 'known.length === conditions.length', 'true'],
  ]),
  ...mutationsOf('src/gatewayctl/import/squidguard/scopes.ts', PARTS, [
    [
      'without an acl for everyone, everything passes',
      "name: 'none', line: found?.line ?? 1",
      "name: 'all', line: found?.line ?? 1",
    ],
  ]),
  ...mutationsOf('src/gatewayctl/import/squidguard/import.ts', PARTS, [
    ['a list that cannot be read blocks nothing', 'missing.length > 0', 'missing.length < 0'],
  ]),
  ...mutationsOf(
    'src/gatewayctl/import/squidguard/times/parse-time.ts',
    ['test/gatewayctl/import/parts.property.test.ts'],
    [['a time begins a minute late', 'from: fromHour * 60 + fromMinute', 'from: fromHour * 60 + fromMinute + 1']],
  ),
  ...mutationsOf(
    'src/gatewayctl/import/squidguard/times/timeline.ts',
    ['test/gatewayctl/import/parts.property.test.ts'],
    [
      ['dates end a day late', 'first: last + 1, week: NO_WEEK', 'first: last + 2, week: NO_WEEK'],
      ['a span between dates is at any date', 'isWithin(span, inEvery)', 'true'],
    ],
  ),
  ...mutationsOf('src/gatewayctl/import/squidguard/times/schedules.ts', PARTS, [
    ['outside a time is within it', 'timeline: not(timeline) })),', 'timeline })),'],
  ]),
  ...mutationsOf('src/gatewayctl/import/squidguard/list-files.ts', PARTS, [
    ['an address of a page is its whole host', '`${host}${path}` : undefined', 'host : undefined'],
  ]),
  ...mutationsOf(
    'src/gatewayctl/import/squidguard/addresses.ts',
    ['test/gatewayctl/import/parts.property.test.ts'],
    [['a range includes its neighbours', 'start + size - 1 > last', 'start > last']],
  ),
]
