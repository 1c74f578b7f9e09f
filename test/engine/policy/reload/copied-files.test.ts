// Copies of lists that are members of an archive, of lists in two files, and of those that an expectation keeps, with real files.
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { findRule } from '../../../../src/engine/policy/policy.ts'
import { createSaveCopy, policyCopyPath } from '../../../../src/engine/policy/reload/policy-copy.ts'
import { openPolicyStore } from '../../../../src/engine/policy/reload/policy-store.ts'
import { rule } from '../../../support/rules.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { recordLog } from '../../recorded-log.ts'
import { subjectFor } from '../../request-for.ts'
import { NO_OPTIONS, policy, policyOf } from '../../running-engine.ts'
import { archiveOf } from '../../update-lists/list-server.ts'

const NOW = Date.parse('2026-11-26T08:00:00Z')
const UT1 = {
  'ut1/adult/domains': 'casino.example\nbet.example\n',
  'ut1/adult/urls': 'blog.example/~anna\n',
  'ut1/games/domains': 'a.game.example\nb.game.example\nc.game.example\n',
}
const SCHOOL = { 'school.txt': 'library.school.example\n', 'school-urls.txt': 'www.school.example/wiki\n' }
const member = (name: string, path = name) =>
  `[[lists]]\nname = "${name}"\narchive = "ut1.tar.gz"\nmember = "${path}"\n`
const byList = (name: string) => rule(name, 'block', `lists = ["${name}"]`)
const RULES = ['adult', 'games', 'school'].map(byList).join('')
const TOML = policy(`${RULES}${member('adult')}${member('games')}
[[lists]]
name = "school"
path = "school.txt"
urls = "school-urls.txt"
`)

/** A folder in which engines start one after the other. */
function place(t: TestContext) {
  const folder = temporaryFolder(t)
  const path = (name: string) => join(folder, name)
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(path(`${name}.new`), content)
    renameSync(path(`${name}.new`), path(name))
  }
  const copies = path('published/engine/accepted-policy.toml.lists')
  write('ut1.tar.gz', gzipSync(archiveOf(UT1)))
  for (const [name, content] of Object.entries(SCHOOL)) write(name, content)
  return {
    ...{ path, write, copies },
    copied: () => readdirSync(copies).filter((name) => name !== 'lists.json'),
    async start(toml = TOML) {
      write('policy.toml', toml)
      const options = { ...NO_OPTIONS, config: path('policy.toml'), publish: path('published') }
      const store = await openPolicyStore({ ...policyOf(options), log: recordLog().log, clock: () => NOW })
      t.after(() => store.close())
      await store.saveCopies(createSaveCopy(policyCopyPath(path('published'), 'issuer', path('policy.toml'))))
      return {
        store,
        fallbacks: () => store.current.lists.map(({ fallback }) => fallback?.kind),
        rule: (url: string) => {
          const match = findRule(store.current, subjectFor(`http://${url}`, { at: NOW }))
          return match?.reason === 'ambiguous' ? match.reason : match?.rule.name
        },
      }
    },
    removeAll: () => {
      for (const name of ['ut1.tar.gz', ...Object.keys(SCHOOL)]) rmSync(path(name), { force: true })
    },
  }
}

test('members of an archive share one copy of it, and a list in two files has a copy of both', async (t) => {
  const { start, copied, copies, path, removeAll } = place(t)
  // As programs for backups pad an archive.
  appendFileSync(path('ut1.tar.gz'), Buffer.alloc(4_000_000))
  await (await start()).store.close()
  const wanted = ['ut1.tar.gz', 'school.txt', 'school-urls.txt'].map((name) => readFileSync(path(name), 'base64'))
  assert.deepEqual(
    copied()
      .map((name) => readFileSync(join(copies, name), 'base64'))
      .toSorted(),
    wanted.toSorted(),
  )
  removeAll()
  const { rule: ruleFor, fallbacks, store } = await start()
  assert.deepEqual(fallbacks(), ['kept', 'kept', 'kept'])
  assert.deepEqual(
    ['bet.example/', 'blog.example/~anna/x', 'blog.example/', 'b.game.example/', 'library.school.example/'].map(
      ruleFor,
    ),
    ['adult', 'adult', undefined, 'games', 'school'],
  )
  assert.equal(ruleFor('www.school.example/wiki'), 'school')
  assert.equal(
    store.last.problems.filter((one) => /ut1\.tar\.gz \((adult|games)\) must be .* its last good/.test(one)).length,
    2,
  )
})

for (const [what, damage] of [
  [
    'a byte',
    (content: Buffer) =>
      content.fill(content.readUInt8(content.length >> 1) ^ 1, content.length >> 1, (content.length >> 1) + 1),
  ],
  ['its second half', (content: Buffer) => content.subarray(0, content.length >> 1)],
] as const) {
  test(`of two files, a copy that has lost ${what} is no copy`, async (t) => {
    const { start, copies, copied, removeAll } = place(t)
    await (await start()).store.close()
    const name = copied().find((one) => readFileSync(join(copies, one), 'utf8') === SCHOOL['school-urls.txt']) ?? ''
    writeFileSync(join(copies, name), damage(readFileSync(join(copies, name))))
    removeAll()
    await assert.rejects(start(), /school\.txt must be .*Its last good copy is damaged\. There is no copy of it/)
  })
}

test('a member that is rejected keeps the archive that it was in, while the others follow the new one', async (t) => {
  const { start, copied, write, removeAll } = place(t)
  const { store } = await start()
  write(
    'ut1.tar.gz',
    gzipSync(
      archiveOf({
        ...UT1,
        'ut1/adult/domains': 'casino.example\nnew.example\n',
        'ut1/games/domains': 'a.game.example\n',
      }),
    ),
  )
  assert.match(`${(await store.reload()).problems}`, /^\S+ lists\[2\]\.archive: \S+ \(games\) must not lose half/)
  await store.close()
  assert.equal(copied().length, 4)
  removeAll()
  const next = await start()
  assert.deepEqual(['new.example/', 'bet.example/', 'c.game.example/'].map(next.rule), ['adult', undefined, 'games'])
})

test('another member is another list: what it had stops until the new one comes, and a draft reads its own', async (t) => {
  const { start, write } = place(t)
  const toml = (path: string) => policy(`${byList('list')}${member('list', path)}`)
  const { store, fallbacks, rule: ruleFor } = await start(toml('games'))
  write('draft.toml', toml('adult'))
  const entries = await store.withDraft('draft.toml', async ({ policy }) => policy.lists.map(({ table }) => table.size))
  assert.deepEqual(entries, [3])
  write('policy.toml', toml('sports'))
  assert.match(
    `${(await store.reload()).problems}`,
    /it has no member "sports"; .* it stops requests, and allows none$/,
  )
  assert.deepEqual([fallbacks(), ruleFor('a.game.example/')], [['other'], 'list'])
  await store.close()
  const next = await start(toml('sports'))
  assert.deepEqual([next.fallbacks(), next.rule('a.game.example/')], [['other'], 'list'])
  write('policy.toml', toml('adult'))
  assert.deepEqual((await next.store.reload()).problems, [])
  assert.deepEqual([next.fallbacks(), next.rule('bet.example/')], [[undefined], 'list'])
})

test('an update that breaks an expectation is not copied, and what it would replace stays in force after a restart', async (t) => {
  const { start, write, path, copied } = place(t)
  const expected = '[[expect]]\nurl = "http://www.school.example/"\nverdict = "allow"\n'
  const toml = policy(`${byList('adult')}${member('adult')}${expected}`)
  const { store, fallbacks, rule: ruleFor } = await start(toml)
  const broken = { ...UT1, 'ut1/adult/domains': `${UT1['ut1/adult/domains']}new.example\nschool.example\n` }
  write('ut1.tar.gz', gzipSync(archiveOf(broken)))
  assert.match(`${(await store.reload()).problems}`, /ut1\.tar\.gz \(adult\) must not break .*expect\[1\]/)
  const [adult] = store.current.lists
  assert.deepEqual(adult?.fallback, { kind: 'kept', since: NOW })
  // A second reload reads it again, and the copy stays.
  assert.equal((await store.reload()).problems.length, 1)
  assert.deepEqual([fallbacks(), ruleFor('new.example/'), ruleFor('bet.example/')], [['kept'], undefined, 'adult'])
  await store.close()
  assert.equal(copied().length, 1)
  rmSync(path('ut1.tar.gz'))
  const next = await start(toml)
  assert.deepEqual([next.rule('new.example/'), next.rule('bet.example/'), next.store.broken], [undefined, 'adult', []])
  // It comes back as soon as it breaks nothing.
  write('ut1.tar.gz', gzipSync(archiveOf({ ...UT1, 'ut1/adult/domains': `${UT1['ut1/adult/domains']}new.example\n` })))
  assert.deepEqual((await next.store.reload()).problems, [])
  assert.deepEqual([next.fallbacks(), next.rule('new.example/')], [[undefined], 'adult'])
})

test('a list that was missing and comes with what breaks an expectation stays missing, and the rest comes into force', async (t) => {
  const { start, write, path } = place(t)
  const optional = `[[lists]]\nname = "late"\npath = "late.txt"\noptional = true\n`
  const expected = '[[expect]]\nurl = "http://www.school.example/"\nverdict = "allow"\n'
  const toml = policy(`${byList('late')}${optional}${expected}`)
  const { store, fallbacks } = await start(toml)
  write('late.txt', 'school.example\n')
  write('policy.toml', `${toml}${rule('more', 'block')}`)
  const { result, problems, warnings } = await store.reload()
  assert.deepEqual([result, problems, fallbacks()], ['loaded', [], ['missing']])
  assert.match(
    `${warnings}`,
    /late\.txt must not break .*expect\[1\]: .* by the entry "school\.example" of the list "late"\. Until then rules by it do not match$/,
  )
  assert.equal(store.current.rules.length, 2)
  rmSync(path('late.txt'))
})
