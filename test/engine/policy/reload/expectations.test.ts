// A reload that breaks what the policy expects, by the policy's file, a list's or a group's, with real files.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findRule } from '../../../../src/engine/policy/policy.ts'
import { openPolicyStore } from '../../../../src/engine/policy/reload/policy-store.ts'
import { rule } from '../../../support/rules.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { recordLog } from '../../recorded-log.ts'
import { subjectFor } from '../../request-for.ts'
import { NO_OPTIONS, policy, policyOf } from '../../running-engine.ts'

const LISTS = ['adult', 'games'].map((name) => `[[lists]]\nname = "${name}"\npath = "${name}.txt"\n`).join('')
const RULES = `${rule('adult', 'block', 'lists = ["adult"]')}${rule('games', 'warn', 'lists = ["games"]')}${LISTS}`
const expect = (url: string, verdict: string, ...more: readonly string[]) =>
  ['[[expect]]', `url = "${url}"`, `verdict = "${verdict}"`, ...more, ''].join('\n')
const EXPECTED = `${expect('https://wiki.example/', 'allow')}${expect('https://dice.example/', 'warn', 'rule = "games"')}`
const [ADULT, GAMES] = [
  ['porn.example', 'sex.example'],
  ['dice.example', 'chess.example'],
]
const [STAFF, STUDENTS] = [
  ['anna', 'bruno', 'chiara', 'dario'],
  ['emil', 'flora', 'gino'],
]
const GROUPS = `
[groups]
staff = { file = "staff.txt" }
students = { file = "students.txt" }
${rule('staff', 'allow', 'match = [".shop.example"]', 'groups = ["staff"]')}
${rule('students', 'block', 'match = [".shop.example"]', 'groups = ["students"]')}
${rule('others', 'warn', 'match = [".shop.example"]')}
${expect('https://shop.example/', 'allow', 'user = "anna"')}`

async function open(t: TestContext, toml: string, adult: readonly string[] = ADULT) {
  const folder = temporaryFolder(t)
  const write = (name: string, lines: readonly string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  mkdirSync(folder, { recursive: true })
  write('adult.txt', adult)
  write('games.txt', GAMES)
  write('staff.txt', STAFF)
  write('students.txt', STUDENTS)
  write('policy.toml', [policy(toml)])
  const { log, lines } = recordLog()
  const options = { ...NO_OPTIONS, config: join(folder, 'policy.toml'), publish: join(folder, 'published') }
  const store = await openPolicyStore({ ...policyOf(options), log, clock: Date.now })
  t.after(() => store.close())
  return {
    ...{ store, write },
    writePolicy: (toml: string) => write('policy.toml', [policy(toml)]),
    remove: (name: string) => rmSync(join(folder, name)),
    logged: (message: string) => lines.filter(({ msg }) => msg === message),
    /** The result of a reload, problems without the folder. */
    async reload(acceptLosses = false) {
      const { result, problems, warnings } = await store.reload(acceptLosses)
      const short = (text: string) => text.replaceAll(`${folder}/`, '')
      return { result, problems: problems.map(short), warnings: warnings.map(short) }
    },
    rule: (host: string, user?: string) =>
      findRule(store.current, subjectFor(`http://${host}/`, { user, at: Date.now() }))?.rule.name,
  }
}

/** The line in the file that `policy` makes. */
const lineOf = (toml: string, text: string) => policy(toml).slice(0, policy(toml).indexOf(text)).split('\n').length

test('a policy that breaks an expectation is kept out, with the line; what meets them comes into force', async (t) => {
  const { store, writePolicy, reload, rule: deciding, logged } = await open(t, RULES + EXPECTED)
  assert.deepEqual([store.last.problems, store.last.warnings, store.broken], [[], [], []])
  const before = store.current
  const wiki = rule('wiki', 'block', 'match = [".wiki.example"]')
  const broken = `${wiki}${RULES}${EXPECTED}`
  writePolicy(broken)
  const problem =
    `policy.toml:${lineOf(broken, '[[expect]]')}: expect[1]: "https://wiki.example/" must be allowed; it is now blocked by ` +
    `line ${lineOf(broken, '[[rules]]')}, the rule "wiki", by its pattern ".wiki.example"`
  assert.deepEqual(await reload(), { result: 'kept', problems: [problem], warnings: [] })
  assert.equal(store.current, before)
  assert.equal(logged('policy kept').length, 1)
  // No acceptance of losses accepts it.
  assert.deepEqual((await reload(true)).problems, [problem])
  writePolicy(
    `${wiki}${RULES}${EXPECTED.replace('"https://wiki.example/"\nverdict = "allow"', '"https://wiki.example/"\nverdict = "block"')}`,
  )
  assert.deepEqual((await reload()).problems, [])
  assert.equal(deciding('wiki.example'), 'wiki')
})

test('an update of a list that breaks an expectation stays out, and the rest comes into force', async (t) => {
  const { store, write, writePolicy, reload, rule: deciding, logged } = await open(t, RULES + EXPECTED)
  const { revision } = store.current
  write('adult.txt', [...ADULT, 'wiki.example'])
  const problem =
    `policy.toml:${lineOf(RULES, 'path = "adult.txt"')}: lists[1].path: adult.txt must not break ` +
    `policy.toml:${lineOf(RULES + EXPECTED, '[[expect]]')}: expect[1]: "https://wiki.example/" must be allowed; it is now ` +
    `blocked by line ${lineOf(RULES, '[[rules]]')}, the rule "adult", by the entry "wiki.example" of the list "adult"`
  assert.deepEqual(await reload(), { result: 'kept', problems: [problem], warnings: [] })
  assert.equal(store.current.revision, revision)
  write('games.txt', [...GAMES, 'go.example'])
  writePolicy(`${RULES}${EXPECTED}${rule('new', 'block')}`)
  assert.deepEqual(await reload(), { result: 'loaded', problems: [problem], warnings: [] })
  assert.deepEqual(
    ['wiki.example', 'sex.example', 'go.example', 'new.example'].map((host) => deciding(host)),
    [undefined, 'adult', 'games', 'new'],
  )
  assert.equal(logged('list kept').length, 1)
  // The file on the disk has not changed, but what is expected of it.
  writePolicy(`${RULES}${EXPECTED.replace(/\[\[expect\]\][^[]*/, '')}${rule('new', 'block')}`)
  assert.match(
    `${(await reload()).problems}`,
    /must not lose half of its expectations; it has 1, and the last accepted one 2/,
  )
  assert.deepEqual((await reload(true)).problems, [])
  assert.equal(deciding('wiki.example'), 'adult')
})

test('a list that no longer stops what it must is kept, too, and comes into force once it does', async (t) => {
  const { write, reload, rule: deciding } = await open(t, RULES + EXPECTED)
  write('games.txt', ['chess.example', 'go.example'])
  const { result, problems } = await reload()
  assert.equal(result, 'kept')
  assert.match(
    `${problems}`,
    /games\.txt must not break policy\.toml:\d+: expect\[2\]: "https:\/\/dice\.example\/" must be stopped with a warning by the rule "games"; it is now allowed by the default$/,
  )
  assert.equal(deciding('dice.example'), 'games')
  write('games.txt', ['chess.example', 'go.example', 'dice.example'])
  assert.deepEqual((await reload()).problems, [])
  assert.equal(deciding('go.example'), 'games')
})

test('two lists that each break it are both kept, and a policy that needs the update of one is, as well', async (t) => {
  const { write, writePolicy, reload, store, rule: deciding } = await open(t, RULES + EXPECTED)
  const { revision } = store.current
  write('adult.txt', [...ADULT, 'wiki.example', 'a.example'])
  write('games.txt', [...GAMES, 'wiki.example', 'b.example'])
  const { result, problems } = await reload()
  assert.deepEqual([result, problems.length, store.current.revision], ['kept', 2, revision])
  write('games.txt', [...GAMES, 'b.example'])
  const one = await reload()
  assert.deepEqual([one.result, one.problems.length], ['loaded', 1])
  assert.deepEqual(
    ['wiki.example', 'a.example', 'b.example'].map((host) => deciding(host)),
    [undefined, undefined, 'games'],
  )
  writePolicy(RULES + EXPECTED + expect('http://a.example/', 'block'))
  const kept = await reload()
  assert.deepEqual([kept.result, kept.problems.length], ['kept', 2])
  assert.match(
    `${kept.problems[0]}`,
    /expect\[3\]: "http:\/\/a\.example\/" must be blocked; it is now allowed by the default/,
  )
  assert.match(`${kept.problems[1]}`, /: adult\.txt must not break .*expect\[1\]/)
})

test('a start reports what is broken and goes on; a reload with the same loads, and one that breaks more does not', async (t) => {
  const {
    store,
    logged,
    write,
    writePolicy,
    reload,
    rule: deciding,
  } = await open(t, RULES + EXPECTED, ['wiki.example'])
  assert.equal(deciding('wiki.example'), 'adult')
  assert.equal(store.last.result, 'loaded')
  assert.equal(store.broken.length, 1)
  assert.deepEqual(store.last.warnings, store.broken)
  assert.deepEqual(logged('expectations broken')[0]?.problems, store.broken)
  write('adult.txt', ['wiki.example', 'sex.example'])
  const same = await reload()
  assert.deepEqual([same.result, same.problems, same.warnings.length], ['loaded', [], 1])
  assert.equal(deciding('sex.example'), 'adult')
  write('games.txt', ['chess.example', 'go.example'])
  assert.match(`${(await reload()).problems}`, /games\.txt must not break .* expect\[2\]/)
  writePolicy(`${RULES}${EXPECTED}${expect('http://new.example/', 'block')}`)
  assert.match(
    `${(await reload()).problems}`,
    /expect\[3\]: "http:\/\/new\.example\/" must be blocked; it is now allowed/,
  )
  // Once it is met, it counts again.
  write('adult.txt', ['porn.example', 'sex.example'])
  write('games.txt', GAMES)
  writePolicy(RULES + EXPECTED)
  assert.deepEqual(await reload(), { result: 'loaded', problems: [], warnings: [] })
  assert.deepEqual(store.broken, [])
  write('adult.txt', ['porn.example', 'sex.example', 'wiki.example'])
  assert.match(`${(await reload()).problems}`, /adult\.txt must not break /)
})

test('an update of groups that breaks an expectation keeps all groups, and the rest comes into force', async (t) => {
  const toml = RULES + EXPECTED + GROUPS
  const { store, write, reload, rule: deciding, logged, writePolicy } = await open(t, toml)
  const { revision } = store.current
  const shop = (...users: readonly string[]) => users.map((user) => deciding('shop.example', user))
  // Chiara moves, and Anna leaves.
  write('staff.txt', ['bruno', 'dario', 'hans'])
  write('students.txt', [...STUDENTS, 'chiara'])
  const place = (text: string) => `policy.toml:${lineOf(toml, text)}`
  const problem =
    `${place('staff = {')}: groups.staff.file: staff.txt and ${place('students = {')}: groups.students.file: students.txt ` +
    `must not break ${place(GROUPS.slice(GROUPS.indexOf('[[expect]]')))}: expect[3]: "https://shop.example/" must be allowed; ` +
    `it is now stopped with a warning by line ${lineOf(toml, '[[rules]]\nname = "others"')}, the rule "others", by its pattern ` +
    '".shop.example". Until that expectation is changed, groups stay as they were'
  assert.deepEqual(await reload(), { result: 'kept', problems: [problem], warnings: [] })
  assert.equal(store.current.revision, revision)
  // No acceptance of losses accepts it.
  assert.deepEqual((await reload(true)).problems, [problem])
  write('adult.txt', [...ADULT, 'malware.example'])
  assert.deepEqual(await reload(), { result: 'loaded', problems: [problem], warnings: [] })
  assert.equal(deciding('malware.example'), 'adult')
  assert.deepEqual(shop('anna', 'chiara', 'hans'), ['staff', 'staff', 'others'])
  assert.equal(logged('groups kept').length, 1)
  // With the update of a list that breaks another expectation, both stay, and the other list does not.
  write('adult.txt', [...ADULT, 'malware.example', 'wiki.example'])
  write('games.txt', [...GAMES, 'go.example'])
  const both = await reload()
  assert.deepEqual([both.result, both.problems.length, both.problems[1]], ['loaded', 2, problem])
  assert.match(`${both.problems[0]}`, /: adult\.txt must not break .*expect\[1\]/)
  assert.deepEqual([deciding('wiki.example'), deciding('go.example'), ...shop('anna')], [undefined, 'games', 'staff'])
  write('adult.txt', [...ADULT, 'malware.example'])
  // What was in force is what a loss is compared with.
  write('staff.txt', ['bruno', 'dario'])
  assert.match(`${(await reload()).problems}`, /staff\.txt must not lose half of its users; it has 2, and .* 4\./)
  write('staff.txt', ['bruno', 'dario', 'hans'])
  writePolicy(toml.replace('user = "anna"', 'user = "bruno"'))
  assert.deepEqual(await reload(), { result: 'loaded', problems: [], warnings: [] })
  assert.deepEqual(shop('anna', 'chiara', 'hans'), ['others', 'students', 'staff'])
})

test('groups that change together with the policy are all or nothing: old groups get no new rule', async (t) => {
  const toml = RULES + EXPECTED + GROUPS
  const { store, write, writePolicy, reload, rule: deciding } = await open(t, toml)
  const before = store.current
  write('staff.txt', ['bruno', 'dario', 'hans'])
  writePolicy(toml + rule('everything', 'allow', 'match = ["*"]', 'groups = ["staff"]'))
  const { result, problems } = await reload()
  assert.deepEqual([result, problems.length, store.current], ['kept', 1, before])
  assert.match(`${problems}`, /^policy\.toml:\d+: expect\[3\]: .* must be allowed; it is now stopped with a warning/)
  assert.equal(deciding('any.example', 'anna'), undefined)
  write('staff.txt', [...STAFF, 'hans'])
  assert.deepEqual((await reload()).problems, [])
  assert.equal(deciding('any.example', 'hans'), 'everything')
})

test('groups that break nothing are not kept by a list that does', async (t) => {
  const { write, reload, rule: deciding } = await open(t, RULES + EXPECTED + GROUPS)
  write('staff.txt', ['anna', 'bruno', 'hans'])
  write('adult.txt', [...ADULT, 'wiki.example'])
  const { result, problems } = await reload()
  assert.deepEqual([result, problems.length], ['loaded', 1])
  assert.match(`${problems}`, /: adult\.txt must not break .*expect\[1\]/)
  assert.deepEqual(
    ['hans', 'dario'].map((user) => deciding('shop.example', user)),
    ['staff', 'others'],
  )
})
