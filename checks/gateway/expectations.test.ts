// `proxy test` for the gateway as it ships: what the policy expects, sent through Squid, and the sheet about it.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { skipWithoutGateway } from '../../test/proxy/proxy.ts'
import { HOSTILE_USER } from '../../test/support/hostile.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { rule } from '../../test/support/rules.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { startExamined } from './examined.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const HOSTS = ['wiki.example', 'bank.example', 'loans.bank.example']
const expect = (url: string, verdict: string, ...more: readonly string[]) =>
  ['[[expect]]', `url = ${JSON.stringify(url)}`, `verdict = "${verdict}"`, ...more, ''].join('\n')
const RULES = [
  rule('exam', 'block', 'match = ["news.example"]', 'switch = "exam"'),
  rule('casino', 'block', 'match = [".casino.example"]'),
  rule('news', 'warn', 'match = ["news.example"]'),
  rule('mail', 'aup', 'match = ["mail.example"]'),
  rule('loans', 'block', 'match = ["loans.bank.example"]'),
  rule('room', 'block', 'match = ["room.example"]', 'clients = ["10.20.0.0/16"]'),
  rule('lesson', 'block', 'match = ["video.example"]', 'when = { days = "mon-fri", from = "08:00", to = "12:00" }'),
  rule('staff', 'allow', 'match = ["social.example"]', 'users = ["anna"]'),
  rule('social', 'block', 'match = ["social.example"]'),
  '[inspection]\nexempt = [".bank.example"]\n',
].join('')
const sunday = 'at = 2026-11-22T10:00:00'
const EXPECTED = [
  expect('https://wiki.example/<b>&"', 'allow', 'rule = "default"'),
  expect('http://wiki.example/', 'allow'),
  expect('https://www.casino.example/', 'block', 'rule = "casino"'),
  expect('http://casino.example/a', 'block'),
  expect('https://news.example/', 'warn'),
  expect('https://mail.example/', 'aup'),
  expect('https://bank.example/', 'allow'),
  expect('https://loans.bank.example/', 'block'),
  expect('https://nowhere.example/', 'allow'),
  expect('https://room.example/', 'block', 'client = "10.20.1.2"'),
  expect('https://social.example/', 'allow', 'user = "anna"'),
  expect('https://social.example/', 'block', 'user = "ben"', 'rule = "social"'),
  expect('https://wiki.example/', 'allow', `user = ${JSON.stringify(HOSTILE_USER)}`),
].join('')
/** The lesson's line that this moment does not have. */
const LESSON =
  expect('https://video.example/', 'allow', sunday) +
  expect('https://video.example/', 'block', 'at = 2026-11-23T10:00:00')

type Examined = Awaited<ReturnType<typeof startExamined>>

interface Line {
  readonly url: string
  readonly seen: string
  readonly result: string
}

describe('the policy’s expectations through the proxy', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const folder = temporaryFolder({ after })
  const passwords = join(folder, 'passwords')
  // Squid's helper: accepts the password "right", of anybody.
  writeFileSync(passwords, 'while read -r name password; do [ "$password" = right ] && echo OK || echo ERR; done\n')
  const started = { sites: { names: HOSTS }, policy: RULES + EXPECTED + LESSON, published: 'engine' as const }
  const gateway = await startExamined({ after }, started)
  const run = async (one: Examined, args: readonly string[] = []) => {
    const sheet = join(folder, 'sheet.html')
    const words = ['proxy', 'test', '--json', '--output', sheet, ...one.options, ...args]
    const env = { ...one.env, GATEWAY_ORG_NAME: 'School & <Sons>', GATEWAY_TIMEZONE: 'Europe/Zurich' }
    const { status, stdout, stderr } = await gatewayctl(words, { env })
    const { ok, lines } = stdout === '' ? { ok: undefined, lines: [] } : JSON.parse(stdout)
    return {
      status,
      stderr,
      ok,
      lines: lines as readonly Line[],
      html: stdout === '' ? '' : readFileSync(sheet, 'utf8'),
      sheet,
    }
  }
  const resultsOf = (lines: readonly Line[]) => lines.map(({ result }) => result)

  test('each line is seen as it must be, or is not sent, with the reason', async () => {
    const { status, ok, lines, stderr, html, sheet } = await run(gateway)
    assert.deepEqual([status, ok, stderr], [0, true, ''], JSON.stringify(lines, undefined, 1))
    const seen = lines.map((line) => line.seen)
    assert.match(`${seen[0]}`, /^allowed: the site responds with 200$/)
    assert.match(`${seen[1]}`, /^allowed: the site responds with 200$/)
    assert.deepEqual(seen.slice(2, 6), [
      'blocked',
      'blocked',
      'stopped with a warning',
      'stopped until a policy is accepted',
    ])
    assert.match(`${seen[6]}`, /^allowed: the site responds with 200$/)
    assert.match(`${seen[7]}`, /^stopped without a page, because the host is exempt from inspection$/)
    assert.match(`${seen[8]}`, /^allowed; the site did not respond: 503 \(ERR_DNS_FAIL\)$/)
    assert.match(
      `${seen[9]}`,
      /^not sent: the rules decide otherwise from this machine’s address; the rules alone: blocked by the rule room \(line \d+\)$/,
    )
    for (const index of [10, 11])
      assert.match(
        `${seen[index]}`,
        /^not sent: the rule staff decides by user, and the proxy would name nobody instead of the user (anna|ben); the rules alone: (allowed|blocked) by/,
      )
    assert.match(`${seen[12]}`, /^allowed: the site responds with 200$/, 'nothing depends on the user')
    assert.deepEqual(resultsOf(lines.slice(13)).toSorted(), ['as expected', 'not sent'], 'one of both times of day')
    assert.ok(gateway.sites.received.every(({ host }) => ['wiki.example', 'bank.example'].includes(host)))
    assert.equal(statSync(sheet).mode & 0o777, 0o600)
    assert.match(
      html,
      /<title>Filter test: School &#38; &#60;Sons&#62;, 20\d\d-\d\d-\d\d \d\d:\d\d, Europe\/Zurich<\/title>/,
    )
    assert.match(html, /<td>https:\/\/wiki\.example\/&#60;b&#62;&#38;&#34;<\/td><td>allowed by the default<\/td>/)
    assert.doesNotMatch(html, /<b>|<script|<Sons/)
    assert.equal(html.match(/<tr><td>/g)?.length, 15)
  })

  test('neither a permission nor a switch that is on is a fault of the rules', async () => {
    const { env } = gateway
    const administer = (...words: readonly string[]) => gatewayctl(['engine', ...words, ...gateway.options], { env })
    const by = ['--for', '1h', '--by', 'Ms Rossi']
    await administer('allow', '.casino.example', ...by)
    await administer('switch', 'on', 'exam', '--everyone', ...by)
    const open = await run(gateway)
    assert.equal(open.status, 0)
    assert.match(
      `${open.lines[2]?.seen}`,
      /^not sent: it is open now by a permission of Ms Rossi until 20.*; the rules alone: blocked by the rule casino/,
    )
    assert.match(
      `${open.lines[4]?.seen}`,
      /^not sent: the switch exam is on for this machine; the rules alone: stopped with a warning by the rule news/,
    )
    await administer('permissions', 'end', '.casino.example')
    await administer('switch', 'off', 'exam', '--all')
  })

  test('a proxy that lets one site pass differs; one that asks no engine is refused before a line is sent', async (t) => {
    const passed = 'acl passed dstdomain .casino.example\nadaptation_access verdict deny passed\n'
    const one = await startExamined(t, {
      ...started,
      edit: (shipped) => shipped.replace('adaptation_access verdict deny portal\n', `${passed}$&`),
    })
    const { status, stderr, lines, html } = await run(one)
    assert.equal(status, 1)
    assert.match(stderr, /^error: 2 of 15 lines differ from what the policy expects\n$/)
    for (const index of [2, 3]) {
      assert.match(`${lines[index]?.seen}`, /^allowed; the site did not respond: 503 \(ERR_DNS_FAIL\)$/)
    }
    assert.equal(html.match(/<strong>differs<\/strong>/g)?.length, 2)
    const none = await startExamined(t, {
      ...started,
      edit: (shipped) => shipped.replace('adaptation_access verdict allow all', 'adaptation_access verdict deny all'),
    })
    const refused = await run(none)
    assert.deepEqual([refused.status, refused.lines], [1, []])
    assert.match(refused.stderr, /^error: .* of no engine; set PROXY_ICAP/)
  })

  test('a policy in force that breaks one: the line differs, and the sheet says why', async (t) => {
    const broken = await startExamined(t, { ...started, policy: RULES + expect('https://wiki.example/', 'block') })
    const { status, stderr, lines, html } = await run(broken)
    assert.equal(status, 1)
    assert.match(stderr, /^error: 1 of 1 lines differ from what the policy expects\n$/)
    assert.match(
      `${lines[0]?.seen}`,
      /^allowed: the site responds with 200; the rules differ: .*expect\[1\]: .* must be blocked; it is now allowed/,
    )
    assert.match(html, /<td><strong>differs<\/strong><\/td>/)
  })

  test('with the credentials of a user, the lines about that user are sent, and those without one are not', async (t) => {
    const auth = join(folder, 'auth.conf')
    writeFileSync(auth, `auth_param basic program /bin/sh ${passwords}\nauth_param basic children 1\n`)
    const withUsers = await startExamined(t, { ...started, settings: { PROXY_AUTH: auth } })
    const none = await run(withUsers)
    assert.deepEqual([none.status, none.lines], [1, []])
    assert.match(none.stderr, /407: the proxy requires a user; --credentials names a file/)
    const credentials = join(folder, 'credentials')
    writeFileSync(credentials, 'Anna:right\n')
    const { status, lines } = await run(withUsers, ['--credentials', credentials])
    assert.equal(status, 0, JSON.stringify(lines, undefined, 1))
    assert.equal(lines[10]?.result, 'as expected')
    assert.match(`${lines[10]?.seen}`, /^allowed; the site did not respond/)
    assert.match(
      `${lines[11]?.seen}`,
      /^not sent: the rule staff decides by user, and the proxy would name anna instead of the user ben/i,
    )
    assert.match(`${lines[2]?.seen}`, /^blocked$/, 'no rule about this host depends on the user')
  })

  test('where no line can be sent, nothing is proved, and the command fails', async (t) => {
    const elsewhere = expect('https://room.example/', 'block', 'client = "10.20.1.2"')
    const one = await startExamined(t, { ...started, policy: RULES + elsewhere })
    const { status, ok, stderr, lines, html } = await run(one)
    assert.deepEqual([status, ok, resultsOf(lines)], [1, false, ['not sent']])
    assert.equal(stderr, 'error: nothing was sent through the proxy: this proves nothing about it\n')
    assert.match(html, /<p><strong>Nothing was sent through the proxy: /)
    const words = ['proxy', 'test', '--output', join(folder, 'text.html'), ...one.options]
    const text = await gatewayctl(words, { env: one.env })
    assert.equal(text.status, 1)
    assert.match(text.stdout, /^Nothing was sent through the proxy: this proves nothing about it\.\nnot sent /)
  })

  test('without an expectation there is nothing to test', async () => {
    gateway.engine.writePolicy(RULES)
    await gatewayctl(['engine', 'reload', '--accept-losses', ...gateway.options], { env: gateway.env })
    const ended = async () => (await run(gateway)).stderr
    await until(async () => /^error: the policy has no \[\[expect\]\]: there is nothing to test\n$/.test(await ended()))
  })
})
