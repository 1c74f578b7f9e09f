// Lists as the world publishes them: what each line of each format adds, and what it does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectionOf } from '../../../../src/engine/policy/lists/load-lists.ts'
import type { ReadList } from '../../../../src/engine/policy/lists/read-list.ts'
import { entryFor, MEMORY, readText, urlFor } from '../entries-of.ts'

/** Hosts that the list covers, of these; and what it counted. */
function covered(list: ReadList, hosts: string): string {
  return hosts
    .split(' ')
    .filter((host) => entryFor(host, list) !== undefined)
    .join(' ')
}

function assertList(text: string, expected: { on: string; off?: string; invalid?: number; skipped?: number }) {
  const { on, off = '', invalid = 0 } = expected
  const list = readText(text)
  assert.equal(covered(list, `${on} ${off}`), on, text)
  assert.deepEqual([list.invalid, list.skipped], [invalid, expected.skipped ?? 0], `${text}: ${list.firstInvalid}`)
  return list
}

test('lists for ad blockers: whole hosts only, without the exceptions', () => {
  const rules = [
    '[Adblock Plus 2.0]',
    '! Title: a list',
    '||casino.example^',
    '||Bet.example^   # a comment',
    '||zip^',
    '||bücher.example^',
    '||192.0.2.7^',
    '@@||ok.casino.example^',
    '@@||open.example^',
    '||bad.open.example^',
    '||t.co^',
    '||go.t.co^',
    '@@||t.co^',
    ...['||bad.co.uk^', '||bad.com.au^', '||2001:db8::7^', '||2001:db8::8^', '@@||2001:db8::8^'],
  ]
  const others = [
    ...[
      '||news.example^$third-party',
      '||news.example^$important',
      '||news.example/ads^',
      '||news.example',
      '||news*^',
    ],
    ...['|https://news.example^', '@@||casino.example^$document', '@@|https://casino.example/', '@@||example^', '||*^'],
    ...['news.example##.banner', 'news.example#@#.ad', 'a.example,b.example#?#div:has(> a)', '##.ad', '#@#.ad'],
    ...['/banner/*', '-ad-300x250.', '&ad_box_', '.com/ad', '.zap', 'news.example/*/ad', '*$popup', '||news.example^|'],
    ...['://ads.', '~third-party', '||.example^'],
    // Exceptions of everything in a country, or in a top-level domain.
    ...['@@||*.example^', '@@||co.uk^', '@@||*.co.uk^', '@@||CO.UK.^', '@@||co\u3002uk^', '@@||com.au^'],
  ]
  assertList([...rules, ...others].join('\n'), {
    on: 'casino.example www.casino.example bet.example a.zip xn--bcher-kva.example 192.0.2.7 bad.co.uk bad.com.au 2001:db8::7',
    off: 't.co go.t.co 2001:db8::8 ok.casino.example a.ok.casino.example bad.open.example open.example news.example b.news.example x.zap 192.0.2.8',
    skipped: others.length,
  })
  // Without the first line, what is no rule is a mistake, and without any rule, everything is.
  const mistakes = '-ad-300x250.\n&ad_box_\n'
  assertList(`||casino.example^\n${mistakes}/banner/*\nnews.example^$popup\n`, {
    on: 'casino.example',
    invalid: 2,
    skipped: 2,
  })
  assertList(`casino.example\n${mistakes}/banner/*\nnews.example^$popup\n`, { on: 'casino.example', invalid: 4 })
})

test("dnsmasq's configuration: what forwards is skipped", () => {
  assertList(
    [
      'address=/casino.example/',
      'address=/Bet.example/0.0.0.0',
      'address=/a.example/b.example/::',
      'address=/hash.example/#   # a comment',
      'local=/local.example/',
      'server=/server.example/',
      'server=/two.example/three.example/',
      'address=/zip/',
      'server=/forward.example/192.0.2.53',
      'server=/default.example/#',
      'server=192.0.2.53',
      'local=/to-another.example/192.0.2.53',
      'local=/usual.example/#',
      'local=192.0.2.53',
      'ipset=/set.example/vpn',
      'address=casino',
      'local=//',
      'address=/-bad-.exa mple/',
    ].join('\n'),
    {
      on: 'casino.example www.casino.example bet.example a.example b.example hash.example local.example server.example two.example three.example a.zip',
      off: 'forward.example default.example to-another.example usual.example set.example example',
      skipped: 7,
      invalid: 3,
    },
  )
})

test("Unbound's local-data: a name that leads nowhere is stopped, without a zone of its own", () => {
  const lines = [
    'local-zone: "zone.example" always_nxdomain',
    'local-data: "casino.example A 0.0.0.0"',
    "local-data: 'bet.example. 3600 IN A 127.0.0.1' # a comment",
    'local-data: "six.example AAAA ::"',
    'local-data: "safe.example A 216.239.38.120"',
    'local-data: "localhost A 127.0.0.1"',
    'local-data-ptr: "127.0.0.1 printer.example"',
    'local-data: "text.example TXT 0.0.0.0"',
  ]
  assertList(lines.join('\n'), {
    on: 'casino.example bet.example six.example zone.example',
    off: 'safe.example localhost printer.example text.example',
  })
})

test("Unbound's local-zone: the longest zone counts", () => {
  assertList(
    [
      'server:',
      '  local-zone: "casino.example" always_nxdomain',
      "\tlocal-zone: 'bet.example.' refuse # a comment",
      'local-zone: null.example always_null',
      'local-zone: "redirected.example" redirect',
      'local-data: "redirected.example A 0.0.0.0"',
      'local-zone: "ok.casino.example" always_transparent',
      'local-zone: "bad.ok.casino.example" static',
      'local-zone: "168.192.in-addr.arpa." nodefault',
      'local-zone: "zip." deny',
      'local-zone: "missing.example"',
      'local-zone: "." transparent',
    ].join('\n'),
    {
      on: 'casino.example www.casino.example bet.example null.example redirected.example bad.ok.casino.example a.bad.ok.casino.example a.zip',
      off: 'ok.casino.example www.ok.casino.example 1.168.192.in-addr.arpa missing.example',
      skipped: 2,
      invalid: 1,
    },
  )
})

test('response policy zones: NXDOMAIN, NODATA and rpz-passthru', () => {
  assertList(
    [
      '$TTL 300',
      '$ORIGIN rpz.example.',
      '@ IN SOA localhost. root.localhost. ( ; the head',
      '  2026112601 ; serial.of.example',
      '  3600 600 86400 300 )',
      '  IN NS localhost.',
      'casino.example CNAME .',
      '*.casino.example IN CNAME . ; a comment',
      'Bet.example 60 IN cname *.',
      'drop.example CNAME rpz-drop.',
      'absolute.example.rpz.example. CNAME .',
      'ok.casino.example CNAME rpz-passthru.',
      '*.pass.casino.example CNAME rpz-passthru.',
      'bad.pass.casino.example CNAME .',
      '*.zip CNAME .',
      'search.example CNAME safe.search.example.',
      'data.example A 192.0.2.7',
      'text.example TXT "stopped"',
      '32.7.2.0.192.rpz-ip CNAME .',
      'ns.example.rpz-nsdname CNAME .',
      'elsewhere.example. CNAME .',
      'tcp.example CNAME rpz-tcp-only.',
      'casino.example CNAME . more',
      'zap CNAME .',
    ].join('\n'),
    {
      on: 'casino.example www.casino.example bet.example drop.example absolute.example pass.casino.example bad.pass.casino.example a.ok.casino.example a.zip',
      off: 'ok.casino.example www.pass.casino.example search.example safe.search.example data.example text.example ns.example elsewhere.example tcp.example zap',
      skipped: 7,
      invalid: 2,
    },
  )
  // Where the file does not name the zone, the owner of its SOA record does. A head without an end hides the rest.
  assertList('rpz.example. IN SOA a. b. 1 2 3 4 5\na.example.rpz.example. CNAME .\n', {
    on: 'a.example',
    off: 'rpz.example',
  })
  assertList('a.example CNAME .\n@ SOA a. b. (\nb.example CNAME .\n', { on: 'a.example', off: 'b.example' })
})

test('networks, and addresses with a path, which are none', () => {
  const list = assertList(
    '192.0.2.0/24\n203.0.113.7/32\n2001:DB8::/32\n::ffff:198.51.100.0/120\n100.64.0.0/10\n130.94.142.52/1\n10.0.0.0/7\n2001::/8\n2001:db8::1/32\n192.0.2.0/33\n::ffff:11.0.0.0/104\n::ffff:64.0.0.0/98',
    {
      on: '192.0.2.0 192.0.2.255 203.0.113.7 2001:db8::7 198.51.100.9 100.64.0.1 11.0.0.1',
      off: '192.0.3.0 203.0.113.8 2001:db9::1 10.0.0.1 130.94.142.52 131.0.0.1 2001:4860::1 12.0.0.1 64.0.0.1',
      invalid: 4,
    },
  )
  assert.equal(entryFor('192.0.2.99', list), '192.0.2.0/24')
  assert.equal(entryFor('198.51.100.9', list), '198.51.100.0/24')
  assert.equal(urlFor('http://130.94.142.52/1/x', list), '130.94.142.52/1')
})

test('a list that covers every host is rejected as a whole', () => {
  for (const line of [
    'address=/#/',
    'address=/#/0.0.0.0',
    'local=/#/',
    'local-zone: "." refuse',
    '* CNAME .',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0.0.0.0/96',
  ]) {
    const rejection = rejectionOf(readText(`casino.example\n${line}\nbet.example`), MEMORY, undefined)
    assert.equal(rejection, 'must not cover every host; line 2 does', line)
  }
})

test('URLs: paths on a host and those below it, at segment boundaries', () => {
  const list = readText(
    [
      'casino.example/',
      'News.example:8080/Poker/tables/',
      'blog.example/bet',
      'blog.example//twice',
      'blog.example/a%2Fb',
      'blog.example/m%20n;x',
      'blog.example/é',
      '192.0.2.7/1',
      'bücher.example/x',
      '*.star.example/x # a comment',
      'blog.example/~anna/?page=2',
      'blog.example/#/all',
      'com/everything',
      '.zip/everything',
      'user@blog.example/secret',
      `blog.example/${'a'.repeat(2100)}`,
    ].join('\n'),
  )
  assert.deepEqual([list.invalid, list.skipped, list.further?.urls], [3, 4, 8])
  const [rows, all] = [
    [
      ['http://news.example/poker/TABLES', 'news.example/poker/tables'],
      ['http://www.news.example/Poker/tables/1?x#y', 'news.example/poker/tables'],
      ['http://news.example/poker/tables2', undefined],
      ['http://news.example/', undefined],
      ['http://blog.example/bet', 'blog.example/bet'],
      ['http://blog.example/betting', undefined],
      ['http://blog.example/x/bet', undefined],
      ['http://blog.example/%62et;v=1//x', 'blog.example/bet'],
      ['http://blog.example/twice/x', 'blog.example/twice'],
      ['http://blog.example/a/b', 'blog.example/a/b'],
      ['http://blog.example/%C3%89', 'blog.example/é'],
      ['http://xn--bcher-kva.example/x', 'xn--bcher-kva.example/x'],
      ['http://a.star.example/x', 'star.example/x'],
      ['http://192.0.2.7/1/2', '192.0.2.7/1'],
      ['http://blog.example/~anna/', undefined],
      ['http://blog.example/x/../bet', 'ambiguous'],
      ['http://other.example/x/../bet', undefined],
    ] as const,
    [
      ['http://news.example/poker/tables', undefined],
      ['http://news.example/Poker/tables/1', 'news.example/Poker/tables'],
      ['http://blog.example/bet/x', 'blog.example/bet'],
      ['http://blog.example/Bet', undefined],
      ['http://blog.example/bet/..;/secret', undefined],
      ['http://blog.example/a/b', undefined],
      ['http://blog.example/a%2fb', 'blog.example/a%2Fb'],
      ['http://blog.example/twice', undefined],
    ] as const,
  ]
  for (const [url, expected] of rows) assert.equal(urlFor(url, list), expected, url)
  for (const [url, expected] of all) assert.equal(urlFor(url, list, true), expected, `strictly, ${url}`)
  assert.equal(entryFor('www.casino.example', list), 'casino.example')
  assert.equal(entryFor('blog.example', list), undefined)
})

test('a file of URLs has no networks and no rules of other formats', () => {
  const list = readText('192.0.2.0/24\ncasino.example\nblog.example/bet\n||zip^\n0.0.0.0 bet.example\n', 'urls')
  assert.deepEqual([list.invalid, list.further?.urls], [2, 2])
  assert.equal(urlFor('http://192.0.2.0/24', list), '192.0.2.0/24')
  assert.equal(covered(list, '192.0.2.0 192.0.2.9 casino.example zip bet.example blog.example'), 'casino.example')
  // A required format has none of them, either.
  assert.deepEqual(
    (['names', 'hosts'] as const).map(
      (format) => readText('a.example/\nb.example/x\n||c.example^\n192.0.2.0/24\n', format).invalid,
    ),
    [3, 4],
  )
})
