// The last good copy of a list, with real files: what a start and a reload do where a list's file may not come into force.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createListCopies } from '../../../../src/engine/policy/lists/list-copies.ts'
import { findRule } from '../../../../src/engine/policy/policy.ts'
import { createSaveCopy, policyCopyPath } from '../../../../src/engine/policy/reload/policy-copy.ts'
import { openPolicyStore } from '../../../../src/engine/policy/reload/policy-store.ts'
import { inReverse } from '../../../support/cleanup.ts'
import { policyFolder } from '../../../support/policy-engine.ts'
import { skipUnless } from '../../../support/requirement.ts'
import { rule as ruleNamed } from '../../../support/rules.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'
import { recordLog } from '../../recorded-log.ts'
import { subjectFor } from '../../request-for.ts'
import { NO_OPTIONS, policy, policyOf } from '../../running-engine.ts'

const NOW = Date.parse('2026-11-26T08:00:00Z')
const NAMES = ['casino.example', 'bet.example', 'poker.example', 'dice.example']
const list = (name: string, path: string, ...keys: readonly string[]) =>
  `[[lists]]\nname = "${name}"\npath = "${path}"\n${keys.join('\n')}\n`
const GAMBLING = `${ruleNamed('gambling', 'block', 'lists = ["gambling"]')}${list('gambling', 'gambling.txt')}`

/** A folder in which engines start one after the other, or at once. */
function place(test: TestContext) {
  const t = inReverse(test)
  const home = temporaryFolder(t)
  const path = (name: string) => join(home, name)
  const copies = path('published/engine/accepted-policy.toml.lists')
  const write = (name: string, content: string) => {
    writeFileSync(path(`${name}.new`), content)
    renameSync(path(`${name}.new`), path(name))
  }
  write('gambling.txt', NAMES.join('\n'))
  let now = NOW
  return {
    ...{ path, copies, write, cleanup: t },
    pass(ms: number) {
      now += ms
    },
    contents: () => (existsSync(copies) ? readdirSync(copies) : []).filter((name) => name !== 'lists.json'),
    async start(toml = policy(GAMBLING)) {
      write('policy.toml', toml)
      const { log, lines } = recordLog()
      const options = { ...NO_OPTIONS, config: path('policy.toml'), publish: path('published') }
      const store = await openPolicyStore({ ...policyOf(options), log, clock: () => now })
      t.after(() => store.close())
      await store.saveCopies(createSaveCopy(policyCopyPath(path('published'), 'issuer', path('policy.toml'))))
      return {
        store,
        logged: (message: string) => lines.filter(({ msg }) => msg === message),
        fallbacks: () => store.current.lists.map(({ fallback }) => fallback?.kind),
        /** What decides about this host. */
        rule: (host: string) => findRule(store.current, subjectFor(`http://${host}/`, { at: now }))?.rule.name,
      }
    },
    async stop({ store }: { readonly store: { close(): Promise<void> } }) {
      await store.close()
    },
  }
}

const REMEDY = 'To accept it: gatewayctl engine reload --accept-losses'
const FETCH =
  'There is no copy of it: rules by it do not match, and no start succeeds without it. To fetch it: systemctl start gateway-lists, or in containers engine update-lists (docs/policy.md, "Updating lists")'

for (const [what, change, problem] of [
  ['is missing', (file: string) => rmSync(file), 'must be a file that can be read; the system reports ENOENT'],
  [
    'is a folder',
    (file: string) => {
      rmSync(file)
      mkdirSync(file)
    },
    'must be a file that can be read; it is not a regular file',
  ],
  [
    'is an error page',
    (file: string) => writeFileSync(file, '<html>\nNot found\n'),
    'must be a list of names; it is a web page',
  ],
  ['was emptied', (file: string) => writeFileSync(file, ''), 'must have at least one name; it has none'],
  [
    'has lost half',
    (file: string) => writeFileSync(file, 'casino.example'),
    `must not lose half of its names; it has 1, and the last accepted one 4. ${REMEDY}`,
  ],
] as const) {
  test(`a list that ${what} starts with its last good copy, is reported, and comes back by itself`, async (t) => {
    const { start, stop, path, pass, write } = place(t)
    await stop(await start())
    pass(60_000)
    change(path('gambling.txt'))
    const { store, rule, fallbacks, logged } = await start()
    assert.equal(rule('www.bet.example'), 'gambling')
    const { fallback } = store.current.lists[0] ?? assert.fail()
    assert.deepEqual(fallback, { kind: 'kept', since: NOW })
    const [found, ...others] = store.last.problems
    assert.deepEqual(others, [])
    assert.ok(
      `${found}`.endsWith(
        `${path('gambling.txt')} ${problem}. In force: its last good copy, of 2026-11-26T08:00:00.000Z`,
      ),
      `${found}`,
    )
    assert.equal(store.last.result, 'loaded')
    assert.deepEqual(
      logged('list kept').map((line) => line.problem),
      [found],
    )
    // A reload of the rest does not forget it.
    assert.deepEqual((await store.reload()).problems, [found])
    assert.deepEqual(fallbacks(), ['kept'])
    rmSync(path('gambling.txt'), { recursive: true, force: true })
    write('gambling.txt', [...NAMES, 'new.example'].join('\n'))
    await until(() => rule('new.example') === 'gambling')
    await until(() => store.last.problems.length === 0)
    assert.deepEqual(fallbacks(), [undefined])
  })
}

test('the copy is what was in force last, of any age, and a loss that was accepted is one of it', async (t) => {
  const { start, stop, path, pass, write, contents } = place(t)
  const engine = await start()
  pass(1000)
  write('gambling.txt', 'casino.example\nlotto.example')
  assert.equal((await engine.store.reload()).problems.length, 1)
  await until(() => contents().length === 1)
  assert.equal(contents().length, 1, 'what was rejected is not copied')
  assert.deepEqual((await engine.store.reload(true)).problems, [])
  await stop(engine)
  rmSync(path('gambling.txt'))
  pass(400 * 24 * 60 * 60_000)
  const { rule, store } = await start()
  assert.deepEqual(['lotto.example', 'bet.example'].map(rule), ['gambling', undefined])
  assert.match(`${store.last.problems}`, /its last good copy, of 2026-11-26T08:00:01\.000Z$/)
})

test('without a copy a start is refused with what fetches the list, and an optional list does not match until it comes', async (t) => {
  const { start, path, write, pass } = place(t)
  rmSync(path('gambling.txt'))
  await assert.rejects(start(), {
    name: 'ConfigProblems',
    message: new RegExp(
      `${path('gambling.txt')} must be a file that can be read; the system reports ENOENT. ${FETCH}`.replaceAll(
        /[()]/g,
        '\\$&',
      ),
    ),
  })
  assert.equal(existsSync(path('published')), false)
  const optional = `${ruleNamed('gambling', 'block', 'lists = ["gambling"]')}${list('gambling', 'gambling.txt', 'optional = true')}`
  const { rule, store, fallbacks, logged } = await start(policy(optional))
  assert.equal(rule('bet.example'), undefined)
  assert.deepEqual([store.last.problems, fallbacks()], [[], ['missing']])
  const warning = store.last.warnings.find((one) => one.includes('gambling.txt'))
  assert.match(`${warning}`, /ENOENT\. It is optional: rules by it do not match until it comes$/)
  assert.equal(logged(`${warning}`).length, 1)
  // Since the start, whatever a reload finds in its place.
  pass(60_000)
  write('gambling.txt', '<html>')
  await store.reload()
  assert.deepEqual(store.current.lists[0]?.fallback, { kind: 'missing', since: NOW })
  rmSync(path('gambling.txt'))
  await store.reload()
  assert.deepEqual(store.current.lists[0]?.fallback, { kind: 'missing', since: NOW })
  write('gambling.txt', NAMES.join('\n'))
  await until(() => rule('bet.example') === 'gambling')
  await until(() => store.last.warnings.length === 0)
  assert.deepEqual(fallbacks(), [undefined])
  await store.close()
  // Once it has come, it has a copy.
  rmSync(path('gambling.txt'))
  const next = await start(policy(optional))
  assert.deepEqual([next.rule('bet.example'), next.fallbacks()], ['gambling', ['kept']])
})

test('a start compares exceptions with those of the copy', async (t) => {
  const { start, stop, write } = place(t)
  const rules = NAMES.map((name) => `||${name}^\n`).join('')
  write('gambling.txt', `${rules}@@||ok.bet.example^\n`)
  await stop(await start())
  write('gambling.txt', `${rules}${NAMES.map((name) => `@@||${name}^\n`).join('')}`)
  const { rule, store } = await start()
  assert.equal(rule('bet.example'), 'gambling')
  assert.match(
    `${store.last.problems}`,
    /half of its names to exceptions; it has 4 for 4 names, .* one 1 for 4 names\. /,
  )
  assert.deepEqual((await store.reload(true)).problems, [])
  assert.equal(rule('bet.example'), undefined)
})

test('a list of more than 10,000 names that was missing is no list that grew', async (t) => {
  const { start, write } = place(t)
  const optional = `${GAMBLING}${ruleNamed('ads', 'block', 'lists = ["ads"]')}${list('ads', 'ads.txt', 'optional = true')}`
  const { rule } = await start(policy(optional))
  write('ads.txt', Array.from({ length: 20_000 }, (_, index) => `n${index}.example`).join('\n'))
  await until(() => rule('n19999.example') === 'ads')
})

test('a reload with a list that is missing brings the rest, and is reported until the list comes', async (t) => {
  const { start, write } = place(t)
  const { store, rule, fallbacks, logged } = await start()
  const more = `${GAMBLING}${ruleNamed('new', 'block')}${ruleNamed('ads', 'block', 'lists = ["ads"]')}${list('ads', 'ads.txt')}`
  write('policy.toml', policy(more))
  const { result, problems } = await store.reload()
  assert.deepEqual([result, problems.length], ['loaded', 1])
  assert.ok(problems[0]?.endsWith(`ads.txt must be a file that can be read; the system reports ENOENT. ${FETCH}`))
  assert.deepEqual(['new.example', 'bet.example'].map(rule), ['new', 'gambling'])
  assert.deepEqual(fallbacks(), [undefined, 'missing'])
  assert.deepEqual(
    logged('list missing').map(({ problem }) => problem),
    problems,
  )
  write('ads.txt', 'banner.example')
  await until(() => rule('banner.example') === 'ads')
  await until(() => store.last.problems.length === 0)
})

test('a missing list opens nothing: neither by a rule that allows nor by an exception', async (t) => {
  const { start } = place(t)
  const rules = [
    ruleNamed('by-list', 'allow', 'lists = ["lessons"]'),
    ruleNamed('by-exception', 'allow', 'match = ["*.open.example"]', 'except = { lists = ["lessons"] }'),
    ruleNamed('stops', 'block', 'match = [".site.example"]', 'except = { lists = ["lessons"] }'),
  ].join('')
  const { rule, store } = await start(
    policy(`${rules}${list('lessons', 'lessons.txt', 'optional = true')}`, 'default = "block"'),
  )
  assert.equal(store.current.lists[0]?.fallback?.kind, 'missing')
  assert.deepEqual(['lesson.example', 'a.open.example'].map(rule), [undefined, undefined])
  assert.equal(rule('lesson.site.example'), 'stops')
})

test('a list of the same name with another file: what it had stops requests and allows none, also after a restart', async (t) => {
  const { start, stop, write } = place(t)
  const both = (path: string) =>
    policy(
      `${ruleNamed('stops', 'block', 'lists = ["gambling"]')}${ruleNamed('allows', 'allow', 'match = [".site.example"]', 'except = { lists = ["gambling"] }')}${list('gambling', path)}`,
    )
  const engine = await start(both('gambling.txt'))
  write('policy.toml', both('moved.txt'))
  const { result, problems } = await engine.store.reload()
  assert.equal(result, 'loaded')
  assert.match(
    `${problems}`,
    /moved\.txt must be .*ENOENT\. In force: the file that the list "gambling" had before; it stops requests, and allows none$/,
  )
  await stop(engine)
  for (const { rule, fallbacks } of [engine, await start(both('moved.txt'))]) {
    assert.deepEqual(fallbacks(), ['other'])
    assert.deepEqual(['bet.example', 'a.site.example'].map(rule), ['stops', undefined])
  }
  const allowing = policy(
    `${ruleNamed('allows', 'allow', 'lists = ["gambling"]')}${ruleNamed('one', 'block')}${list('gambling', 'moved.txt')}`,
  )
  const { rule, store, fallbacks } = await start(allowing)
  assert.deepEqual([rule('bet.example'), fallbacks()], [undefined, ['other']])
  // Half as many names are no loss of a list that never had more.
  write('moved.txt', 'only.example')
  assert.deepEqual((await store.reload()).problems, [])
  assert.deepEqual(['only.example', 'bet.example'].map(rule), ['allows', undefined])
})

for (const [what, damage] of [
  ['half-written', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 20))],
  ['replaced', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('casino', 'museum'))],
  ['removed', (file: string) => rmSync(file)],
] as const) {
  test(`a copy that was ${what} is not used, and is made again when the list is in force`, async (t) => {
    const { start, stop, path, contents, copies, write } = place(t)
    await stop(await start())
    const [name = ''] = contents()
    const copy = join(copies, name)
    const whole = readFileSync(copy, 'utf8')
    assert.equal(whole, NAMES.join('\n'))
    damage(copy)
    rmSync(path('gambling.txt'))
    const why = what === 'removed' ? 'must be a file that can be read; the system reports ENOENT' : 'is damaged'
    await assert.rejects(start(), new RegExp(`ENOENT\\. Its last good copy ${why}\\. There is no copy of it`))
    write('gambling.txt', NAMES.join('\n'))
    await stop(await start())
    // Of the same length, it is noticed when it is needed.
    if (what !== 'replaced') assert.equal(readFileSync(copy, 'utf8'), whole)
  })
}

test('an index that is none, or names a file elsewhere, is none; what a killed engine left is removed', async (t) => {
  const { start, stop, path, copies, contents } = place(t)
  await stop(await start())
  const [digest = ''] = contents()
  assert.deepEqual(
    [copies, join(copies, digest), join(copies, 'lists.json')].map((one) => statSync(one).mode & 0o777),
    [0o700, 0o600, 0o600],
  )
  const indexFile = join(copies, 'lists.json')
  const index = readFileSync(indexFile, 'utf8')
  rmSync(path('gambling.txt'))
  writeFileSync(path('outside'), NAMES.join('\n'))
  const bad = [
    '',
    '[]',
    '{',
    'null',
    index.slice(0, 40),
    index.replace(digest, '../../../outside'),
    `${index}${' '.repeat(17 * 2 ** 20)}`,
  ]
  for (const content of bad) {
    writeFileSync(indexFile, content)
    await assert.rejects(start(), /the system reports ENOENT\. There is no copy of it/)
  }
  writeFileSync(indexFile, index)
  for (const name of ['.unfinished-of-a-killed-engine', 'A'.repeat(43)]) writeFileSync(join(copies, name), 'half')
  await stop(await start())
  assert.equal(contents().length, 3, 'another engine may be writing them')
  for (const name of contents()) utimesSync(join(copies, name), new Date(NOW - 7_200_000), new Date(NOW - 7_200_000))
  const { rule, store } = await start()
  await store.close()
  assert.deepEqual([contents(), rule('bet.example')], [[digest], 'gambling'])
})

test('a list that leaves the policy leaves the copies, and without lists there are none', async (t) => {
  const { start, stop, contents, copies, write } = place(t)
  await stop(await start(policy(ruleNamed('one', 'block'))))
  assert.equal(existsSync(copies), false)
  const { store } = await start()
  await until(() => contents().length === 1)
  for (const name of contents()) utimesSync(join(copies, name), new Date(0), new Date(0))
  write('policy.toml', policy(ruleNamed('one', 'block')))
  assert.deepEqual((await store.reload()).problems, [])
  await store.close()
  assert.deepEqual(contents(), [])
})

test('at a start, what a list would leave the others is what they had', async (t) => {
  const { start, stop, write } = place(t)
  const numbered = (count: number, top: string) => Array.from({ length: count }, (_, at) => `n${at}.${top}`).join('\n')
  write('gambling.txt', numbered(10_000, 'one'))
  write('ads.txt', numbered(35_000, 'two'))
  const toml = policy(
    `${GAMBLING}${ruleNamed('ads', 'block', 'lists = ["ads"]')}${list('ads', 'ads.txt')}`,
    'lists_memory_mb = 1',
  )
  await stop(await start(toml))
  write('gambling.txt', numbered(20_000, 'one'))
  const { rule, fallbacks, store } = await start(toml)
  assert.deepEqual(fallbacks(), ['kept', undefined])
  assert.deepEqual(['n9999.one', 'n15000.one', 'n34999.two'].map(rule), ['gambling', undefined, 'ads'])
  assert.match(`${store.last.problems}`, /must have at most 15000 names; .* In force: its last good copy/)
})

test('engines that share a folder and have different lists: the copy is one of them, whole', async (t) => {
  const { path, copies, start } = place(t)
  const contents = ['a', 'b', 'c'].map((name) =>
    Array.from({ length: 30_000 }, (_, at) => `n${at}.${name}.example`).join('\n'),
  )
  const engines = contents.map((content, index) => {
    const file = path(`list-${index}.txt`)
    writeFileSync(file, content)
    return { file, copies: createListCopies(copies, () => NOW) }
  })
  const { store } = await start()
  await store.close()
  const [one] = store.current.lists
  await Promise.all(
    engines.flatMap(({ file, copies: own }, index) =>
      Array.from({ length: 5 }, async () => {
        const digest = createHash('sha256')
          .update(contents[index] ?? '')
          .digest('base64url')
        assert.deepEqual(await own.save([{ ...(one ?? assert.fail()), path: file, digest, fileDigests: [digest] }]), [])
      }),
    ),
  )
  const found = (await engines[0]?.copies.find())?.get('gambling') ?? assert.fail()
  const content = readFileSync(join(copies, found.digest), 'utf8')
  assert.ok(contents.includes(content))
  assert.equal(createHash('sha256').update(content).digest('base64url'), found.digest)
  assert.deepEqual(
    readdirSync(copies).filter((name) => name.startsWith('.')),
    [],
  )
})

test('a file that no longer has what is in force is not copied, nor is a pipe waited for', async (t) => {
  const { start, stop, path, copies } = place(t)
  const engine = await start()
  await stop(engine)
  const [list = assert.fail()] = engine.store.current.lists
  const own = createListCopies(copies, () => NOW)
  const before = await own.find()
  const digest = 'A'.repeat(43)
  const inForce = { ...list, digest, fileDigests: [digest] }
  for (const change of [
    () => writeFileSync(path('gambling.txt'), 'other.example'),
    () => rmSync(path('gambling.txt')) ?? spawnSync('mkfifo', [path('gambling.txt')]),
  ]) {
    change()
    assert.deepEqual(await own.save([inForce]), [])
    assert.deepEqual([await own.find(), readdirSync(copies).length], [before, 2])
  }
  rmSync(path('gambling.txt'))
  assert.match(`${await own.save([inForce])}`, /^cannot write the copy of the list "gambling" to .* \(ENOENT\): /)
  assert.deepEqual(await own.find(), before)
})

/** Whether this user may mount a file system. */
function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const isMounted = mountSmall(folder)
  if (isMounted) spawnSync('umount', ['--lazy', folder])
  rmSync(folder, { recursive: true, force: true })
  return isMounted
}

function mountSmall(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]).status === 0
}

test('a full disk: the list is in force, the earlier copy stays, and both are reported', {
  skip: skipUnless(mayMount(), 'mounts a small file system, which needs root'),
}, async (t) => {
  const { start, stop, path, pass, contents, cleanup } = place(t)
  mkdirSync(path('published/engine'), { recursive: true })
  assert.ok(mountSmall(path('published/engine')))
  cleanup.after(async () => void spawnSync('umount', ['--lazy', path('published/engine')]))
  const { store, rule, logged } = await start()
  await until(() => contents().length === 1)
  pass(1000)
  appendFileSync(
    path('gambling.txt'),
    `\n${Array.from({ length: 9_900 }, (_, at) => `a-rather-long-name-${at}.example`).join('\n')}`,
  )
  assert.deepEqual((await store.reload()).problems, [])
  assert.equal(rule('a-rather-long-name-9.example'), 'gambling')
  await until(() => store.last.warnings.length > 0)
  const [warning = ''] = store.last.warnings
  assert.match(
    warning,
    /^cannot write the copy of the list "gambling" to .*\.lists \(ENOSPC\): a start without the file /,
  )
  assert.equal(logged(warning)[0]?.level, 50)
  assert.equal(contents().length, 1)
  await stop({ store })
  rmSync(path('gambling.txt'))
  const next = await start()
  assert.deepEqual(['bet.example', 'a-rather-long-name-9.example'].map(next.rule), ['gambling', undefined])
  assert.match(`${next.store.last.problems}`, /its last good copy, of 2026-11-26T08:00:00\.000Z/)
})

test('an engine starts without the file of a list, from its copy, and reports that', { timeout: 60_000 }, async (t) => {
  const { folder, start, run } = policyFolder(t, GAMBLING)
  writeFileSync(join(folder, 'gambling.txt'), NAMES.join('\n'))
  const evening = await start()
  assert.equal(await evening.verdict('bet.example'), 'block')
  await evening.stop()
  rmSync(join(folder, 'gambling.txt'))
  const morning = await start()
  assert.equal(await morning.verdict('bet.example'), 'block')
  const { policy: described, last_load: load } = await morning.administer('status')
  const [shown] = (described as { lists: Record<string, unknown>[] }).lists
  assert.deepEqual([shown?.name, shown?.entries, shown?.fallback, shown?.optional], ['gambling', 4, 'kept', false])
  assert.match(String(shown?.since), /^20\d\d-.*Z$/)
  assert.match(JSON.stringify(load), /"result":"loaded","problems":\[".*its last good copy/)
  await morning.stop()
  const { status, stderr } = await run('--check')
  assert.equal(status, 2)
  assert.match(stderr, /its last good copy, of /)
})
