// What of Squid's log is reported: where it listens, and problems, without what a visitor has requested.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIcapOutage, reportedLine } from '../../src/proxy/squid/squid-log.ts'

const DOWN =
  '2026/11/26 07:31:02| essential ICAP service is down after an options fetch failure: icap://127.0.0.1:1344/reqmod [down,!opt]'

for (const [name, line, expected] of [
  [
    'where it listens',
    '2026/11/26 07:31:02 kid1| Accepting SSL bumped HTTP Socket connections at conn8 local=[::]:3128 remote=[::] FD 20 flags=9',
    'listening on [::]:3128',
  ],
  ['an outage', DOWN, `Squid: ${DOWN.slice(21)}`],
  [
    'a problem, without an address and a query',
    '2026/11/26 07:31:02| ERROR: no a?b=c d on URL: http://x/',
    'Squid: ERROR: no a d',
  ],
  ['a line without a time', 'FATAL: Bungled squid.conf line 3', 'FATAL: Bungled squid.conf line 3'],
  ['no control characters', '2026/11/26 07:31:02| WARNING: a\u001b[31m\u2028b', 'Squid: WARNING: a?[31m?b'],
  ['nothing of what is usual', '2026/11/26 07:31:02| Starting Squid Cache version 5.7', undefined],
  ['nothing of entries that others cover', "2026/11/26 07:31:02| WARNING: '.a' is a subnetwork of 'b'", undefined],
] as const) {
  test(name, () => assert.equal(reportedLine(line), expected))
}

test('an outage of the ICAP service, and no line that only quotes one', () => {
  assert.equal(isIcapOutage(DOWN), true)
  assert.equal(isIcapOutage(DOWN.replace('| ', ' kid1| ')), true)
  assert.equal(isIcapOutage(DOWN.replace('down', 'up')), false)
  assert.equal(isIcapOutage(`2026/11/26 07:31:02| ERROR: ${DOWN}`), false)
})
