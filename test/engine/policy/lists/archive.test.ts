// Lists that are members of an archive, laid out as UT1's: each is a list of its own, and so are a list's two files.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LIST_KEY } from '../../../../src/engine/policy/lists/domain-list.ts'
import { readSource } from '../../../../src/engine/policy/lists/read-list.ts'
import { findRule, type Policy } from '../../../../src/engine/policy/policy.ts'
import { openPolicyStore } from '../../../../src/engine/policy/reload/policy-store.ts'
import { createRuledHosts } from '../../../../src/engine/proxy-settings/ruled-hosts.ts'
import { rule } from '../../../support/rules.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'
import { recordLog } from '../../recorded-log.ts'
import { subjectFor } from '../../request-for.ts'
import { NO_OPTIONS, policy, policyOf } from '../../running-engine.ts'
import { archiveOf } from '../../update-lists/list-server.ts'
import { entryFor, urlFor } from '../entries-of.ts'

/** As UT1 packs them: links for names in English, and files that are no lists. */
const UT1 = {
  'blacklists/README': 'These files are contributions for the squidguard software\n',
  'blacklists/adult/domains': 'casino.example\nbet.example\n',
  'blacklists/adult/urls': 'blog.example/~anna\n192.0.2.7/1\n',
  'blacklists/adult/usage': 'black\nadult\n',
  'blacklists/adult/very_restrictive_expression': '(^|[-.?+=])(sex)\n',
  'blacklists/games/domains': 'game.example\n',
}

/** A folder, and what tar makes of these files and links. */
function pack(t: TestContext, files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder(t)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, 'in', dirname(name)), { recursive: true })
    writeFileSync(join(folder, 'in', name), content)
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, 'in', name))
  execFileSync('tar', ['-czf', join(folder, 'ut1.tar.gz'), '-C', join(folder, 'in'), '.'], { timeout: 10_000 })
  return { folder, path: join(folder, 'ut1.tar.gz') }
}

async function read(path: string, member: string, maximum = 1000) {
  return await readSource({ path, member, format: 'auto' }, LIST_KEY, maximum)
}

test("a member is one list, with its URLs, and nothing else of the archive's", async (t) => {
  const { path } = pack(t, UT1, { 'blacklists/porn': 'adult' })
  for (const member of ['adult', 'blacklists/adult', './blacklists/adult/']) {
    const list = await read(path, member)
    assert.ok(list.kind === 'list')
    assert.deepEqual([list.invalid, list.skipped, list.further?.urls], [0, 0, 2])
    assert.equal(entryFor('www.casino.example', list), 'casino.example')
    assert.equal(entryFor('game.example', list), undefined)
    assert.equal(urlFor('http://blog.example/~anna/x', list), 'blog.example/~anna')
    assert.equal(urlFor('http://192.0.2.7/1', list), '192.0.2.7/1')
    assert.equal(entryFor('130.0.0.1', list), undefined)
  }
  const games = await read(path, 'games/domains')
  assert.ok(games.kind === 'list')
  assert.equal(entryFor('game.example', games), 'game.example')
  assert.equal(entryFor('casino.example', games), undefined)
  const many = await read(path, 'adult', 2)
  assert.ok(many.kind === 'too many names')
})

test('what is no member is named', async (t) => {
  const { path, folder } = pack(t, { ...UT1, 'other/games/domains': 'game.test\n' }, { 'blacklists/porn': 'adult' })
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const tar = archiveOf({ 'adult/domains': 'casino.example\n'.repeat(1000), 'ads/urls': 'a.example/b\n' })
  const packed = gzipSync(tar)
  const cases: readonly (readonly [path: string, member: string, problem: RegExp])[] = [
    [
      path,
      'gambling',
      /^it has no member "gambling"; it has "blacklists\/adult", "blacklists\/games", "other\/games"$/,
    ],
    [path, 'porn', /^its member "porn" is a link: write "adult" instead$/],
    [
      path,
      'games',
      /^it has "(blacklists|other)\/games" and "(blacklists|other)\/games": name the member with its folder$/,
    ],
    [path, 'blacklists', /^it has no member "blacklists"; /],
    [write('text.tar.gz', 'casino.example\n'), 'adult', /^as an archive it must be tar, also .* it is another file$/],
    [write('page.tar.gz', '<html>'), 'adult', /it is a web page$/],
    [write('text.gz', gzipSync('casino.example\n')), 'adult', /it is another file$/],
    [write('cut.tar', tar.subarray(0, 3000)), 'adult', /^the archive is cut$/],
    [write('cut.tar.gz', packed.subarray(0, packed.length - 9)), 'adult', /^the archive is damaged or cut$/],
    [write('damaged.tar', Buffer.concat([tar.subarray(0, 512), Buffer.alloc(600, 'x')])), 'adult', /damaged|cut/],
    [
      write('no-lists.tar', archiveOf({ 'names.txt': 'casino.example\n' })),
      'adult',
      /none of its files is named "domains" or "urls"$/,
    ],
    [
      write('bomb.gz', gzipSync(Buffer.concat([archiveOf({ 'x/y': Buffer.alloc(1024 ** 2) }).subarray(0, -1024)]))),
      'adult',
      /^it has no member/,
    ],
  ]
  for (const [file, member, problem] of cases) {
    await assert.rejects(
      read(file, member),
      ({ message }: Error) => problem.test(message) || assert.fail(message),
      file,
    )
  }
})

const RULES = `
  ${rule('adult', 'block', 'lists = ["adult"]')}
  ${rule('games', 'warn', 'lists = ["games"]')}
  ${rule('school', 'allow', 'lists = ["school"]')}
  ${rule('rest', 'block', 'match = [".school.example"]')}
  [[lists]]
  name = "adult"
  archive = "ut1.tar.gz"
  member = "adult"
  [[lists]]
  name = "games"
  archive = "ut1.tar.gz"
  member = "games"
  [[lists]]
  name = "school"
  path = "school"
  urls = "school-urls"`

async function open(t: TestContext) {
  const { folder, path } = pack(t, UT1)
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
  write('policy.toml', policy(RULES))
  write('school', 'library.school.example\n')
  write('school-urls', 'www.school.example/Wiki\n')
  const { log } = recordLog()
  const { load, start } = policyOf({
    ...NO_OPTIONS,
    config: join(folder, 'policy.toml'),
    publish: join(folder, 'published'),
  })
  const store = await openPolicyStore({ start, load, log, clock: Date.now })
  t.after(() => store.close())
  return { store, path, folder, write }
}

function ruleFor({ rules }: Policy, url: string): string | undefined {
  const match = findRule({ rules }, subjectFor(url))
  return match?.reason === 'ambiguous' ? 'ambiguous' : match?.rule.name
}

test('rules by members, by URLs, and by a list in two files; a new archive comes into force', async (t) => {
  const { store, path, folder, write } = await open(t)
  const rows: readonly (readonly [url: string, rule: string | undefined])[] = [
    ['https://www.casino.example/', 'adult'],
    ['https://game.example/', 'games'],
    ['https://blog.example/', undefined],
    ['https://blog.example/~ANNA/x', 'adult'],
    ['https://blog.example/%7eanna', 'adult'],
    ['https://blog.example/x/../~anna', 'ambiguous'],
    ['https://library.school.example/', 'school'],
    ['https://www.school.example/Wiki/Start', 'school'],
    // To allow a request, all must match exactly.
    ['https://www.school.example/wiki', 'rest'],
    ['https://www.school.example/Wiki/..;/admin', 'rest'],
    ['https://www.school.example/Wiki/../admin', 'ambiguous'],
  ]
  for (const [url, expected] of rows) assert.equal(ruleFor(store.current, url), expected, url)
  assert.deepEqual(
    store.current.lists.map(({ name, table }) => [name, table.size]),
    [
      ['adult', 4],
      ['games', 1],
      ['school', 2],
    ],
  )
  const ruled = createRuledHosts({ current: store.current }, { allowed: false })
  for (const host of ['casino.example', 'a.blog.example', 'game.example', '192.0.2.7', 'www.school.example']) {
    assert.ok(ruled.find(host), host)
  }
  assert.equal(ruled.find('other.example'), undefined)

  const next = pack(t, { ...UT1, 'blacklists/games/domains': 'game.example\nplay.example\n' })
  renameSync(next.path, `${path}.new`)
  renameSync(`${path}.new`, path)
  await until(() => ruleFor(store.current, 'https://play.example/') === 'games')
  write('school-urls', 'www.school.example/Wiki\nwww.school.example/News\n')
  await until(() => ruleFor(store.current, 'https://www.school.example/News') === 'school')
  assert.equal(ruleFor(store.current, 'https://www.school.example/Wiki'), 'school')

  // A list without its URLs is not the list.
  writeFileSync(join(folder, 'empty'), '')
  renameSync(join(folder, 'empty'), join(folder, 'school-urls'))
  await until(() => store.last.problems.length > 0)
  assert.match(`${store.last.problems}`, /lists\[3\]\.path: .*school must not lose half of its (names|URLs); /)
  assert.equal(ruleFor(store.current, 'https://www.school.example/News'), 'school')
})
