// What an expectation is, and when a policy does not meet it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { brokenIn } from '../../../../src/engine/policy/expectations/broken.ts'
import type { ListFallback } from '../../../../src/engine/policy/lists/domain-list.ts'
import { NO_ENTRIES } from '../../../../src/engine/policy/lists/list-table.ts'
import { readSettings, settingsOf } from '../../../../src/engine/settings/settings.ts'
import { propertyRuns } from '../../../support/property-runs.ts'
import { rule } from '../../../support/rules.ts'
import { configure, NO_OPTIONS, policy } from '../../running-engine.ts'
import { type ObviousPolicy, obviousRule } from '../obvious-policy.ts'
import { FILES, GROUPS, LISTS, ROOMS, request, rules, STRIP, toToml } from '../random-policy.ts'

const expect = (...keys: readonly string[]) => ['[[expect]]', ...keys, ''].join('\n')
const LESSONS = 'when = { days = "mon-fri", from = "08:00", to = "16:00", timezone = "Europe/Zurich" }'
const RULES = [
  rule('staff', 'allow', 'match = [".video.example"]', 'groups = ["staff"]'),
  rule('lessons', 'block', 'match = [".video.example"]', LESSONS, 'except = { clients = ["10.9.0.0/16"] }'),
  rule('shorts', 'warn', 'match = ["video.example/shorts"]'),
  '[groups]\nstaff = { users = ["smith"] }\n[users]\nstrip = ["SCHOOL\\\\"]\n',
].join('')

/** What is broken, each without its place. */
function broken(keys: readonly string[], toml = RULES): readonly string[] {
  const settings = configure(policy(toml + expect(...keys)))
  return brokenIn(settings.policy, settings.portal.names).map(({ text }) =>
    text.replace(/^policy\.toml:\d+: expect\[1\]:? ?/, ''),
  )
}

test('user, client, time, verdict and rule count, and nothing else does', () => {
  const url = 'url = "https://www.video.example/"'
  const [monday, sunday] = ['at = 2026-11-23T09:00:00', 'at = 2026-11-22T09:00:00Z']
  assert.deepEqual(broken([url, monday, 'verdict = "block"']), [])
  assert.deepEqual(broken([url, monday, 'verdict = "block"', 'rule = "lessons"']), [])
  assert.deepEqual(broken([url, monday, 'verdict = "allow"', 'user = "school\\\\SMITH"', 'rule = "staff"']), [])
  assert.deepEqual(broken([url, monday, 'verdict = "allow"', 'client = "10.9.1.2"', 'rule = "default"']), [])
  assert.deepEqual(broken([url, sunday, 'verdict = "allow"']), [])
  assert.match(`${broken([url, sunday, 'verdict = "block"'])}`, /must be blocked; it is now allowed by the default$/)
  assert.match(
    `${broken([url, monday, 'verdict = "block"', 'rule = "lesons"'])}`,
    /must be blocked by the rule "lesons", which does not exist; it is now blocked by line \d+, the rule "lessons", by its/,
  )
  assert.match(
    `${broken([url, monday, 'verdict = "block"', 'rule = "default"'])}`,
    /by the default; it is now blocked by line/,
  )
  const shorts = 'url = "https://video.example/shorts/1"'
  assert.deepEqual(broken([shorts, sunday, 'verdict = "warn"']), [])
  assert.match(
    `${broken(['url = "https://video.example/a/../shorts"', sunday, 'verdict = "warn"'])}`,
    /it is now refused with HTTP 400/,
  )
  const portal = 'url = "https://portal.example/x"'
  assert.deepEqual(broken([portal, 'verdict = "allow"'], rule('all', 'block', 'match = ["*"]')), [])
  assert.match(`${broken([portal, 'verdict = "block"'])}`, /it is now allowed as one of the portal's own names$/)
})

test('without a time, a schedule that can decide is named, and any other rule is not', () => {
  const url = 'url = "https://video.example/"'
  assert.match(
    `${broken([url, 'verdict = "block"'])}`,
    /^\.at must be set: the schedule of line \d+, the rule "lessons" can decide about "https:\/\/video\.example\/"; it is now unset$/,
  )
  // Not where an earlier rule decides, an exception holds, or the rule is about another host.
  assert.deepEqual(broken([url, 'user = "smith"', 'verdict = "allow"']), [])
  assert.deepEqual(broken([url, 'client = "10.9.0.1"', 'verdict = "allow"']), [])
  assert.deepEqual(broken(['url = "https://other.example/"', 'verdict = "allow"']), [])
  assert.deepEqual(
    broken(['url = "https://portal.example/"', 'verdict = "allow"'], rule('lessons', 'block', LESSONS)),
    [],
  )
})

test('a rule that matches nothing, because a list of its exceptions is missing, is not the one that decides', () => {
  const rules = `${rule('open', 'allow', 'match = [".video.example"]', 'except = { lists = ["bad"] }')}${rule('lessons', 'block', 'match = [".video.example"]', LESSONS)}`
  const expected = expect('url = "https://video.example/"', 'verdict = "allow"')
  const toml = `${rules}[[lists]]\nname = "bad"\npath = "bad.txt"\n${expected}`
  const reading = readSettings(NO_OPTIONS, () => Buffer.from(policy(toml)))
  const textsWith = (fallback?: ListFallback) => {
    const lists = reading.lists.map((list) => ({ ...list, table: NO_ENTRIES, digest: '', fileDigests: [], fallback }))
    return brokenIn(settingsOf(reading).buildPolicy(lists), []).map(({ text }) => text)
  }
  assert.deepEqual(textsWith(), [])
  assert.match(
    `${textsWith({ kind: 'missing', since: 0 })}`,
    /\.at must be set: the schedule of line \d+, the rule "lessons" can decide about/,
  )
})

test('a time without an offset is in the zone of the policy', () => {
  const keys = ['url = "https://video.example/"', 'at = 2026-11-23T08:30:00', 'verdict = "block"']
  for (const [timezone, count] of [
    ['Europe/Zurich', 0],
    ['America/New_York', 0],
    ['Asia/Tokyo', 1],
  ] as const) {
    const toml = policy(RULES + expect(...keys))
    const settings = readSettings({ ...NO_OPTIONS, timezone }, () => Buffer.from(toml))
    const built = settings.buildPolicy?.([]) ?? assert.fail(settings.problems.join())
    assert.equal(brokenIn(built, []).length, count, timezone)
  }
})

test('what is wrong with an entry is a problem of the file, with its line', () => {
  const good = ['url = "https://a.example/"', 'verdict = "block"']
  const problemsOf = (...keys: readonly string[]) =>
    readSettings(NO_OPTIONS, () => Buffer.from(policy(expect(...keys)))).problems.map((one) =>
      one.replace(/; it is now.*/, ''),
    )
  assert.deepEqual(problemsOf(...good), [])
  for (const [keys, problem] of [
    [['verdict = "block"'], /^policy\.toml:\d+: expect\[1\]\.url must be set/],
    [['url = "casino.example"', 'verdict = "block"'], /expect\[1\]\.url must be an absolute http or https URL such as/],
    [['url = "ftp://casino.example/"', 'verdict = "block"'], /expect\[1\]\.url must be an absolute http/],
    [['url = "https://a.example/\\u0007"', 'verdict = "block"'], /expect\[1\]\.url must be an absolute http/],
    [['url = "https://a.example/"'], /expect\[1\]\.verdict must be one of "allow", "block", "warn", "aup"/],
    [['url = "https://a.example/"', 'verdict = "refuse"'], /expect\[1\]\.verdict must be one of/],
    [[...good, 'at = 2026-11-23'], /expect\[1\]\.at must be a date with a time such as/],
    [[...good, 'at = 09:00:00'], /expect\[1\]\.at must be a date with a time/],
    [[...good, 'at = "2026-02-30T09:00"'], /expect\[1\]\.at must be a date with a time/],
    [[...good, 'client = "10.0.0.0/8"'], /expect\[1\]\.client must be an IP address without a zone/],
    [[...good, 'user = "-"'], /expect\[1\]\.user must be a user name/],
    [
      [...good, 'room = "12"'],
      /expect\[1\]\.room must not be set: the keys allowed here are url, user, client, at, verdict, rule/,
    ],
  ] as const) {
    assert.match(`${problemsOf(...keys)}`, problem)
  }
  const many = readSettings(NO_OPTIONS, () => Buffer.from(policy(expect(...good).repeat(1001))))
  assert.match(`${many.problems}`, /expect must have at most 1000 entries/)
})

const scheduled = rules.filter((all) => all.some((one) => one.when !== undefined && one.switch === undefined))
const policies = fc.oneof(rules, { weight: 4, arbitrary: scheduled })
/** At every hour of the day, in weeks in which clocks change or holidays are, and in an ordinary one. */
const TIMES = ['2026-10-24', '2026-12-22', '2027-03-12', '2027-06-07'].flatMap((date) =>
  Array.from({ length: 25 }, (_, index) => Date.parse(`${date}T00:00Z`) + index * 7.25 * 3_600_000),
)

test('a time is required wherever the obvious implementation decides differently at different times', () => {
  let [required, met] = [0, 0]
  fc.assert(
    fc.property(policies, fc.array(request, { minLength: 2, maxLength: 2 }), (all, requests) => {
      const obvious: ObviousPolicy = { rules: all, lists: LISTS, groups: GROUPS, rooms: ROOMS, on: {}, strip: STRIP }
      const settings = configure(toToml(all), FILES, LISTS)
      for (const one of requests) {
        const { url, client, user } = one
        const outcomes = new Set(TIMES.map((at) => obviousRule(obvious, { ...one, at }) ?? 'default'))
        const [name = ''] = outcomes
        const verdict = all.find((each) => each.name === name)?.action ?? 'allow'
        const text = JSON.stringify
        const entry = expect(
          ...[`url = ${text(url)}`, `verdict = "${verdict}"`, `rule = "${name}"`, `client = "${client}"`],
          ...(user === undefined ? [] : [`user = ${text(user)}`]),
        )
        const { policy: loaded } = configure(toToml(all) + entry, FILES, LISTS)
        const [fault, ...more] = brokenIn(loaded, settings.portal.names)
        assert.equal(more.length, 0)
        const isRequired = fault?.text.includes('.at must be set: ') ?? false
        if (outcomes.size > 1) assert.ok(isRequired, `${text(one)} ${[...outcomes]}`)
        else if (!isRequired)
          assert.equal(fault === undefined, name !== 'ambiguous', `${text(one)} ${name} ${fault?.text}`)
        if (isRequired) required++
        else met++
      }
    }),
    propertyRuns(100),
  )
  assert.ok(required > 0 && met > 2, `${required} ${met}`)
})
