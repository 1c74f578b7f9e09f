// Reload with real files: each test changes them as editors, downloads and Kubernetes do.
import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findRule } from '../../../../src/engine/policy/policy.ts'
import { watchFiles } from '../../../../src/engine/policy/reload/file-watch.ts'
import { createSaveCopy, policyCopyPath } from '../../../../src/engine/policy/reload/policy-copy.ts'
import { openPolicyStore, type ReloadResult } from '../../../../src/engine/policy/reload/policy-store.ts'
import { readFingerprint } from '../../../../src/settings/file-fingerprint.ts'
import { residentBytes } from '../../../support/processes.ts'
import { skipUnless } from '../../../support/requirement.ts'
import { rule as ruleNamed } from '../../../support/rules.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'
import { recordLog } from '../../recorded-log.ts'
import { subjectFor } from '../../request-for.ts'
import { NO_OPTIONS, policy, policyOf } from '../../running-engine.ts'

const RULES = `
  ${ruleNamed('gambling', 'block', 'lists = ["gambling"]')}
  ${ruleNamed('staff-only', 'block', 'match = ["staff.example"]', 'except = { groups = ["staff"] }')}
  [[lists]]
  name = "gambling"
  path = "lists/gambling.txt"
  [groups]
  staff = { file = "staff.txt" }`
/** In the file that `policy` makes of them. */
const lineOf = (text: string) => policy(RULES).slice(0, policy(RULES).indexOf(text)).split('\n').length
/** With another name of its first rule. */
const renamed = (name: string) => policy(RULES.replace('name = "gambling"\naction', `name = "${name}"\naction`))
const NAMES = ['casino.example', 'bet.example', 'poker.example', 'dice.example']

async function open(t: TestContext, toml = policy(RULES), folder = temporaryFolder(t)) {
  const path = (name: string) => join(folder, name)
  const write = (name: string, content: string) => writeFileSync(path(name), content)
  mkdirSync(path('lists'), { recursive: true })
  write('policy.toml', toml)
  if (!existsSync(path('lists/gambling.txt'))) write('lists/gambling.txt', NAMES.join('\n'))
  write('staff.txt', 'smith\n')
  const { log, lines } = recordLog()
  const results: ReloadResult[] = []
  const steps: string[] = []
  const hooks = { read: () => {} }
  const { load, start } = policyOf({ ...NO_OPTIONS, config: path('policy.toml'), publish: path('published') })
  const store = await openPolicyStore({
    start,
    load(...args) {
      steps.push('begin')
      const read = load(...args)
      hooks.read()
      return read
    },
    log,
    onReload(result) {
      steps.push('end')
      results.push(result)
    },
    clock: Date.now,
  })
  t.after(() => store.close())
  return {
    ...{ store, path, write, results },
    /** `begin` when a reload reads the policy, `end` when it is over. */
    steps,
    /** Called when a reload has read the policy's files, but not its lists. */
    hooks,
    logged: (message: string) => lines.filter(({ msg }) => msg === message),
    /** What decides about this host. */
    rule: (host: string, user?: string) =>
      findRule(store.current, subjectFor(`http://${host}/`, { user, at: Date.now() }))?.rule.name,
  }
}

test('the policy and its lists are in force when it opens, and by themselves when they have changed', async (t) => {
  const { rule, write, path, store, logged } = await open(t)
  assert.equal(rule('www.casino.example'), 'gambling')
  assert.equal(rule('staff.example'), 'staff-only')
  assert.equal(rule('staff.example', 'smith'), undefined)
  const [line] = logged('policy loaded')
  assert.deepEqual([line?.rules, line?.lists, line?.revision], [2, { gambling: 4 }, store.current.revision])
  const revisions = new Set([store.current.revision])
  appendFileSync(path('lists/gambling.txt'), '\nroulette.example\n')
  await until(() => rule('roulette.example') === 'gambling')
  revisions.add(store.current.revision)
  write('new.txt', `${NAMES.join('\n')}\nbingo.example\n`)
  renameSync(path('new.txt'), path('lists/gambling.txt'))
  await until(() => rule('bingo.example') === 'gambling')
  assert.equal(rule('roulette.example'), undefined)
  revisions.add(store.current.revision)
  write('staff.txt', 'smith\nmiller\n')
  await until(() => rule('staff.example', 'miller') === undefined)
  revisions.add(store.current.revision)
  write('policy.toml', renamed('games'))
  await until(() => rule('bingo.example') === 'games')
  revisions.add(store.current.revision)
  assert.equal(revisions.size, 5)
})

test('a symbolic link that is switched, as Kubernetes does', async (t) => {
  const folder = temporaryFolder(t)
  for (const name of ['first', 'second', 'lists']) mkdirSync(join(folder, name))
  symlinkSync('first', join(folder, '..data'))
  symlinkSync(join('..', '..data', 'gambling.txt'), join(folder, 'lists', 'gambling.txt'))
  const { rule, write, path } = await open(t, policy(RULES), folder)
  write('second/gambling.txt', 'a.example\nb.example\nlotto.example\n')
  symlinkSync('second', path('..next'))
  renameSync(path('..next'), path('..data'))
  await until(() => rule('lotto.example') === 'gambling')
})

test('an error page leaves the list in force, and the rest of the policy is still reloaded', async (t) => {
  const { rule, write, results, logged, store, path } = await open(t)
  write('lists/gambling.txt', '<html>\n<body>Not found</body>\n</html>\n')
  await until(() => results.length > 0)
  const [{ result, problems } = assert.fail()] = results
  assert.deepEqual([result, problems.length], ['kept', 1])
  const place = `${path('policy.toml')}:${lineOf('path = "lists/gambling.txt"')}: lists[1].path: `
  assert.ok(problems[0]?.startsWith(`${place}${path('lists/gambling.txt')} must `))
  assert.deepEqual(logged('policy kept')[0]?.problems, problems)
  write('policy.toml', policy(`${RULES}\n${ruleNamed('new', 'block')}`))
  await until(() => rule('new.example') === 'new')
  assert.equal(rule('bet.example'), 'gambling')
  assert.equal(logged('list kept').length, 1)
  assert.deepEqual(store.last.problems, problems)
  write('lists/gambling.txt', [...NAMES, 'good.example'].join('\n'))
  await until(() => rule('good.example') === 'gambling')
  assert.deepEqual(store.last.problems, [])
})

test('a group’s file that lost half of its users, or changes while it is read, does not come into force', async (t) => {
  const { rule, store, write, path, hooks } = await open(t)
  const outcome = async () => (await store.reload()).problems.map((one) => one.replace(/^.*?(groups|must)/, '$1'))
  const accepted = ['smith', 'miller', 'jones', 'young']
  write('staff.txt', accepted.join('\n'))
  assert.deepEqual(await outcome(), [])
  write('staff.txt', 'smith\nmiller\nsmith')
  assert.deepEqual(await outcome(), [
    `groups.staff.file: ${path('staff.txt')} must not lose half of its users; it has 2, and the last accepted one 4. To accept it: gatewayctl engine reload --accept-losses`,
  ])
  for (const user of accepted) assert.equal(rule('staff.example', user), undefined)
  hooks.read = () => appendFileSync(path('staff.txt'), '\nothers')
  write('staff.txt', 'smith\nmiller\njones')
  assert.deepEqual(await outcome(), ['must not change while it is read; it did. Write it elsewhere, then rename it'])
  assert.equal(rule('staff.example', 'young'), undefined)
  hooks.read = () => {}
  await until(() => rule('staff.example', 'young') === 'staff-only')
  assert.equal(rule('staff.example', 'jones'), undefined)
  // Two names of each user become one name.
  write('staff.txt', 'young\nmiller\nYoung@school.example\nmiller@school.example')
  assert.deepEqual(await outcome(), [])
  write('policy.toml', policy(`${RULES}\n[users]\nstrip = ["@school.example"]`))
  assert.deepEqual(await outcome(), [])
  // Another file is another group of people.
  write('two.txt', 'smith')
  write('policy.toml', policy(RULES.replace('staff.txt', 'two.txt')))
  assert.deepEqual(await outcome(), [])
  assert.equal(rule('staff.example', 'young'), 'staff-only')
})

test('a change that needs a restart is a warning, and the rest comes into force', async (t) => {
  const { store, write, logged } = await open(t)
  const changed = policy(RULES, 'session_minutes = 7').replace('https://portal.example', 'https://other.example')
  write('policy.toml', changed.replace('[control]', '[control]\nlisten = "127.0.0.1:7"'))
  const { result, warnings } = await store.reload()
  assert.equal(result, 'loaded')
  assert.deepEqual(warnings, [
    'captive_portal has changed: restart the engine',
    'control has changed: restart the engine',
  ])
  assert.equal(logged('control has changed: restart the engine').length, 1)
  await store.reload()
  assert.equal(logged('control has changed: restart the engine').length, 1, 'logged once')
})

test('concurrent reloads share one that begins when the running one has ended', async (t) => {
  const { store, write, rule, steps } = await open(t)
  steps.length = 0
  write('lists/gambling.txt', [...NAMES, 'slots.example'].join('\n'))
  const running = store.reload()
  await until(() => steps.length > 0)
  // The reload that runs has read this file already.
  write('staff.txt', 'miller\n')
  const shared = [store.reload(), store.reload()]
  await Promise.all([running, ...shared])
  assert.equal(shared[0], shared[1])
  assert.deepEqual(steps, ['begin', 'end', 'begin', 'end'])
  assert.equal(rule('staff.example', 'miller'), undefined)
  assert.equal(rule('slots.example'), 'gambling')
})

const BLOCKED = ['one', 'two', 'three', 'four']
/** A policy that blocks these hosts, and whatever else it names. */
const blocking = (names: readonly string[], topLevel = 'default = "block"', internal = '["10.0.0.0/8", "fd00::/8"]') =>
  policy(
    `${names.map((name) => ruleNamed(name, 'block')).join('')}
    [gateway]\ninternal = ${internal}`,
    topLevel,
  )

test('a policy that has lost half of its rules or networks, or its default, comes into force only if that is accepted', async (t) => {
  const { store, write, rule } = await open(t, blocking(BLOCKED))
  const before = store.current
  write('policy.toml', blocking(['one', 'two'], '', '["10.0.0.0/8"]'))
  const kept = await store.reload()
  assert.deepEqual([kept.result, kept.problems.length], ['kept', 3])
  assert.equal(store.current, before)
  assert.equal(rule('four.example'), 'four')

  const [shared, accepted] = await Promise.all([store.reload(), store.reload(true)])
  assert.deepEqual([accepted.result, accepted.problems, accepted], ['loaded', [], shared])
  assert.equal(rule('four.example'), undefined)
  // What was accepted is what the next change is compared with, and acceptance does not last.
  write('policy.toml', blocking(['one'], '', '["10.0.0.0/8"]'))
  assert.match(`${(await store.reload()).problems}`, /must not lose half of its rules; it has 1, .* 2\. To accept it: /)
  write('policy.toml', blocking(['one', 'two', 'five'], '', '["10.0.0.0/8"]'))
  assert.deepEqual((await store.reload()).problems, [])
  write('policy.toml', blocking(['one', 'five'], '', '["10.0.0.0/8"]'))
  assert.deepEqual((await store.reload()).problems, [])
})

test('an empty or cut file does not come into force, accepted or not', async (t) => {
  const { store, write, rule } = await open(t, blocking(BLOCKED))
  for (const content of ['', blocking(BLOCKED).slice(0, 100)]) {
    for (const acceptLosses of [false, true]) {
      write('policy.toml', content)
      const { result, problems } = await store.reload(acceptLosses)
      assert.deepEqual([result, problems.length], ['kept', 1])
      assert.match(`${problems}`, /policy\.toml must (not be empty; it has no bytes|end in a line feed: .*)$/)
      assert.equal(rule('four.example'), 'four')
    }
  }
})

test('losses of lists and groups can be accepted, also of a list that was rejected before, but not all of a list', async (t) => {
  const { store, write, rule } = await open(t)
  write('staff.txt', 'smith\nmiller\njones\nyoung\n')
  assert.deepEqual((await store.reload()).problems, [])
  write('staff.txt', 'smith\nmiller\n')
  write('lists/gambling.txt', 'casino.example\nother.example\n')
  const kept = await store.reload()
  assert.equal(kept.problems.length, 2)
  for (const problem of kept.problems) {
    assert.match(
      problem,
      / it has 2, and the last accepted one 4\. To accept it: gatewayctl engine reload --accept-losses$/,
    )
  }
  // The group's loss keeps the policy; this one keeps only the list.
  write('staff.txt', 'smith\nmiller\njones\n')
  assert.equal((await store.reload()).problems.length, 1)
  assert.equal(rule('bet.example'), 'gambling')

  write('staff.txt', 'smith\n')
  const accepted = await store.reload(true)
  assert.deepEqual([accepted.result, accepted.problems], ['loaded', []])
  assert.equal(rule('bet.example'), undefined)
  assert.equal(rule('other.example'), 'gambling')
  assert.equal(rule('staff.example', 'miller'), 'staff-only')
  write('lists/gambling.txt', '')
  assert.match(`${(await store.reload(true)).problems}`, /must have at least one name/)
  assert.equal(rule('other.example'), 'gambling')
})

test('the policy is read when it has not changed for 500 ms, a list much sooner, and both together once', async (t) => {
  const { write, path, rule, results, steps } = await open(t)
  const since = async (isSo: () => boolean) => {
    const startedAt = performance.now()
    await until(isSo, 10, 5)
    return performance.now() - startedAt
  }
  appendFileSync(path('lists/gambling.txt'), '\nroulette.example\n')
  assert.ok((await since(() => rule('roulette.example') === 'gambling')) < 500)
  // Each write restarts the half second.
  for (let index = 0; index < 4; index++) {
    write('policy.toml', renamed(`games-${index}`))
    await sleep(300)
  }
  write('policy.toml', renamed('games'))
  assert.ok((await since(() => rule('roulette.example') === 'games')) > 450)
  assert.equal(results.length, 2)
  steps.length = 0
  write('policy.toml', renamed('both'))
  appendFileSync(path('lists/gambling.txt'), 'bingo.example\n')
  assert.ok((await since(() => rule('bingo.example') === 'both')) > 450)
  assert.deepEqual(steps, ['begin', 'end'])
})

test('a policy that is being written when a reload ends is read when it has settled, too', async (t) => {
  const { write, rule, store, results } = await open(t)
  // The reload ends when its copy is written.
  const written = Promise.withResolvers<undefined>()
  let copies = 0
  await store.saveCopies(() => (++copies === 2 ? written.promise : Promise.resolve(undefined)))
  const running = store.reload()
  await until(() => copies === 2)
  write('policy.toml', renamed('first'))
  await sleep(700)
  assert.equal(results.length, 0)
  write('policy.toml', renamed('second'))
  const startedAt = performance.now()
  written.resolve(undefined)
  await running
  await until(() => rule('casino.example') === 'second')
  const after = performance.now() - startedAt
  assert.ok(after > 450, `${after} ms`)
})

test('a copy of the file is kept when it is in force, and only then', async (t) => {
  const { store, write, path, logged } = await open(t, blocking(BLOCKED))
  const copy = policyCopyPath(path('published'), 'issuer', path('policy.toml'))
  const inForce = () => readFileSync(copy, 'utf8')
  await store.reload()
  assert.deepEqual(readdirSync(path('.')).includes('published'), false)
  await store.saveCopies(createSaveCopy(copy))
  assert.equal(copy, path('published/engine/accepted-policy.toml'))
  assert.equal(inForce(), blocking(BLOCKED))
  assert.equal(statSync(copy).mode & 0o777, 0o600)
  const fewer = blocking(['one'])
  for (const content of ['', 'nonsense\n', fewer]) {
    write('policy.toml', content)
    assert.equal((await store.reload()).result, 'kept')
    assert.equal(inForce(), blocking(BLOCKED))
  }
  await store.reload(true)
  assert.equal(inForce(), fewer)
  // Also what changes no rule.
  write('policy.toml', `# a remark\n${fewer}`)
  await store.reload()
  assert.equal(inForce(), `# a remark\n${fewer}`)
  assert.deepEqual(readdirSync(path('published/engine')), ['accepted-policy.toml'])

  rmSync(path('published/engine'), { recursive: true })
  write('published/engine', 'no folder')
  write('policy.toml', fewer)
  const { result, problems, warnings } = await store.reload()
  assert.deepEqual([result, problems], ['loaded', []])
  const warning = `cannot write ${copy} (EEXIST): the next start compares the policy with an earlier one, or with none`
  assert.deepEqual(warnings, [warning])
  assert.equal(logged(warning)[0]?.level, 50)
})

const TWO_LISTS = `
  [[lists]]
  name = "gambling"
  path = "lists/gambling.txt"
  [[lists]]
  name = "trackers"
  path = "lists/trackers.txt"
  ${ruleNamed('trackers', 'block', 'lists = ["trackers"]')}`
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.example\n`).join('')
/** As much memory as 50,000 names need. */
const SMALL_MEMORY = 'lists_memory_mb = 1'

/** With two lists of this many names. */
function openLists(t: TestContext, toml: string, gambling: number, trackers: number) {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'lists'))
  writeFileSync(join(folder, 'lists', 'gambling.txt'), numbered(gambling))
  writeFileSync(join(folder, 'lists', 'trackers.txt'), numbered(trackers))
  return open(t, toml, folder)
}

test('a list for which the others leave no memory is kept, until they or the setting leave enough', async (t) => {
  const { store, write, rule } = await openLists(t, policy(TWO_LISTS, SMALL_MEMORY), 30_000, 15_000)
  const outcome = async () => `${(await store.reload()).problems}`
  write('lists/trackers.txt', numbered(25_000))
  const more = `${TWO_LISTS}\n${ruleNamed('new', 'block')}`
  write('policy.toml', policy(more, SMALL_MEMORY))
  assert.match(
    await outcome(),
    /trackers\.txt must have at most 20000 names; it has about 25000, and all lists together may have 50000\. .* by 9 MB, then lists_memory_mb from 1 to 10$/,
  )
  assert.equal(rule('n14999.example'), 'trackers')
  assert.equal(rule('n15000.example'), undefined)
  assert.equal(rule('new.example'), 'new', 'the rest is in force')
  write('lists/gambling.txt', numbered(20_000))
  assert.equal(await outcome(), '')
  assert.equal(rule('n24999.example'), 'trackers')
  write('lists/trackers.txt', numbered(60_000))
  assert.match(await outcome(), / must have at most 30000 names; it has about (59|60)[0-9]{3}, /)
  write('policy.toml', policy(more, 'lists_memory_mb = 2'))
  assert.equal(await outcome(), '')
  // With less memory, lists in force stay, whether or not their files have changed.
  write('policy.toml', policy(more, SMALL_MEMORY))
  write('lists/gambling.txt', numbered(19_999))
  assert.match(await outcome(), /gambling\.txt must have at most 0 names; it has about (19|20)[0-9]{3}, /)
  assert.equal(rule('n59999.example'), 'trackers')
})

test('at a start, lists with more names than the memory suffices for are a problem', async (t) => {
  await assert.rejects(
    openLists(t, policy(TWO_LISTS, SMALL_MEMORY), 40_000, 10_001),
    /trackers\.txt must have at most 10000 names; it has about 10001, and all lists together may have 50000\. /,
  )
  await openLists(t, policy(TWO_LISTS, SMALL_MEMORY), 40_000, 10_000)
})

test('a list that does not come into force needs no memory', {
  skip: skipUnless(process.platform === 'linux', 'needs the resident memory that Linux reports'),
}, async (t) => {
  const { store, write, path } = await openLists(t, policy(TWO_LISTS), 1, 1_200_000)
  write('shrunk.txt', numbered(600_000))
  write('good.txt', numbered(1_200_001))
  const keep = async (file: string) => {
    copyFileSync(path(file), path('next.txt'))
    renameSync(path('next.txt'), path('lists/trackers.txt'))
    assert.equal((await store.reload()).result, 'kept')
    return residentBytes(process.pid)
  }
  const growth = async (file: string, times: number) => {
    const before = await keep(file)
    let most = 0
    for (let count = 0; count < times; count++) most = Math.max(most, await keep(file))
    return most - before
  }
  // Together, these tables would have 19 MB.
  const shrunk = await growth('shrunk.txt', 4)
  write('policy.toml', policy(TWO_LISTS, 'default = "deny"'))
  const good = await growth('good.txt', 2)
  assert.ok(Math.max(shrunk, good) < 15e6, `${shrunk} and ${good} bytes`)
})

test('a change of a file is noticed within a second, also where the file system reports none', async (t) => {
  const folder = temporaryFolder(t)
  const [watched, other] = [join(folder, 'watched'), join(folder, 'other')]
  for (const path of [watched, other]) mkdirSync(path)
  const [file, link] = [join(watched, 'policy.toml'), join(other, 'link')]
  writeFileSync(file, 'before')
  // Written by another name of the file, in another folder, it causes no event in this one.
  linkSync(file, link)
  let events = 0
  const witness = watch(watched, () => events++)
  t.after(() => witness.close())
  const changed: string[][] = []
  let changes = 0
  const onSign = (paths: Iterable<string>) => changed.push([...paths])
  const watching = watchFiles({ settledMs: () => 0, onSign, onChange: () => changes++ })
  t.after(() => watching.close())
  watching.follow(new Map([[file, await readFingerprint(file)]]))
  // Past the check that follows immediately.
  await sleep(200)
  assert.equal(changes, 0)
  writeFileSync(link, 'after, with another length')
  await until(() => changes === 1, 10)
  assert.deepEqual([changed, events], [[[file]], 0])
})
