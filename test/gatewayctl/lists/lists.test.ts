// `gatewayctl lists`: the catalogue, and what it writes, read by the engine and by its update of lists.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { openPolicyStore } from '../../../src/engine/policy/reload/policy-store.ts'
import { replaceList } from '../../../src/engine/update-lists/new-list.ts'
import { parseSources } from '../../../src/engine/update-lists/sources.ts'
import { unpack } from '../../../src/engine/update-lists/unpack.ts'
import { CATALOGUE, fileName } from '../../../src/gatewayctl/lists/catalogue.ts'
import { recordLog } from '../../engine/recorded-log.ts'
import { subjectFor } from '../../engine/request-for.ts'
import { NO_OPTIONS, policy, policyOf } from '../../engine/running-engine.ts'
import { archiveOf } from '../../engine/update-lists/list-server.ts'
import { rule } from '../../support/rules.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { gatewayctl } from '../gatewayctl.ts'

const OWN = policy(`${rule('staff', 'allow', 'match = ["staff.example"]')}
[[lists]]
name = "own"
path = "own.txt"
${rule('own', 'block', 'lists = ["own"]')}`)

function home(t: TestContext, toml = OWN) {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'engine'))
  const [config, sources] = [join(folder, 'engine', 'policy.toml'), join(folder, 'lists.conf')]
  writeFileSync(config, toml)
  writeFileSync(join(folder, 'engine', 'own.txt'), 'own.example')
  return {
    ...{ folder, config, sources },
    policy: () => readFileSync(config, 'utf8'),
    addresses: () => readFileSync(sources, 'utf8'),
    run: (...words: readonly string[]) => gatewayctl(['lists', ...words], { env: { GATEWAY_HOME: folder } }),
    async load() {
      const { log } = recordLog()
      const store = await openPolicyStore({ ...policyOf({ ...NO_OPTIONS, config }), log, clock: Date.now })
      t.after(() => store.close())
      return store
    },
  }
}

test('a list that is added decides once it has been fetched, and leaves no line when it is removed', async (t) => {
  const { run, policy: text, addresses, load, folder } = home(t)
  const added = await run('add', 'ut1/adult', '--folder', folder)
  assert.equal(added.status, 0, added.stderr)
  assert.match(
    added.stdout,
    /^ut1\/adult added: about 4,660,000 names, CC-BY-SA-4\.0, Université Toulouse Capitole\.\n$/,
  )
  assert.match(added.stderr, /^Nothing has been downloaded: .* To fetch it: systemctl start gateway-lists\n/)
  const [source] = parseSources(addresses())
  assert.equal(source?.problem, undefined)
  assert.equal(source?.url?.href, 'https://dsi.ut-capitole.fr/blacklists/download/adult.tar.gz')
  const store = await load()
  const decided = () => findRule(store.current, subjectFor('http://www.porn.example/', { at: 0 }))?.rule
  assert.deepEqual([store.last.problems, decided()], [[], undefined])
  assert.match(
    `${store.last.warnings}`,
    /ut1-adult\.txt must be .*ENOENT\. It is optional: rules by it do not match until it comes/,
  )
  // As UT1 packs a category.
  const archive = gzipSync(
    archiveOf({ 'adult/domains': 'porn.example\n', 'adult/urls': 'blog.example/~anna\n', 'adult/usage': 'black\n' }),
  )
  async function* download() {
    yield archive
  }
  assert.equal(await replaceList(folder, `${source?.name}`, await unpack(download())), true)
  assert.deepEqual(await store.reload(), { result: 'loaded', problems: [], warnings: [] })
  assert.equal(findRule(store.current, subjectFor('http://blog.example/~anna/x', { at: 0 }))?.rule.name, 'ut1/adult')
  assert.equal(findRule(store.current, subjectFor('http://blog.example/', { at: 0 })), undefined)
  assert.deepEqual([decided()?.name, decided()?.action, decided()?.category], ['ut1/adult', 'block', 'Adult content'])
  assert.deepEqual(await run('remove', 'ut1/adult'), {
    ...{ status: 0, stderr: '' },
    stdout: `ut1/adult removed. Its file stays, if it has been fetched: ${join(folder, 'ut1-adult.txt')}\n`,
  })
  assert.deepEqual([text(), addresses()], [OWN, ''])
})

for (const ends of ['\n', '\r\n']) {
  test(`every list of the catalogue, all at once, between lines that end in ${JSON.stringify(ends)}`, async (t) => {
    const own = OWN.replaceAll('\n', ends)
    const { run, policy: text, addresses, load, sources, folder } = home(t, own)
    const mine = `# mine${ends}own.txt https://lists.example/own.txt${ends}`
    writeFileSync(sources, mine)
    const all = CATALOGUE.map(({ name }) => name)
    assert.equal(new Set(all).size, all.length)
    assert.equal((await run('add', ...all, '--folder', `${folder}/`)).status, 0)
    const { current, last } = await load()
    assert.deepEqual([last.problems, last.warnings.length], [[], all.length])
    assert.deepEqual(
      current.lists.map(({ name, path, optional }) => [name, path, optional]),
      [
        ['own', join(folder, 'engine', 'own.txt'), false],
        ...CATALOGUE.map((one) => [one.name, join(folder, fileName(one)), true]),
      ],
    )
    assert.deepEqual(
      current.rules.map(({ name }) => name),
      ['staff', 'own', ...all],
    )
    const parsed = parseSources(addresses())
    assert.deepEqual(
      parsed.flatMap(({ problem }) => problem ?? []),
      [],
    )
    assert.deepEqual(
      parsed.map(({ url }) => url?.href),
      ['https://lists.example/own.txt', ...CATALOGUE.map(({ address }) => address)],
    )
    const shuffled = all.toSorted((one, other) => one.length - other.length || one.localeCompare(other))
    for (const name of shuffled.slice(0, 3)) assert.equal((await run('remove', name)).status, 0)
    assert.equal((await run('remove', ...shuffled.slice(3))).status, 0)
    assert.deepEqual([text(), addresses()], [own, mine])
  })
}

for (const ends of ['\n', '\r\n']) {
  const text = (...rules: readonly string[]) => policy(rules.join('')).replaceAll('\n', ends)
  const open = rule('open', 'allow', 'match = [".good.example"]')
  const aup = (...keys: readonly string[]) => rule('house-rules', 'aup', 'match = ["a.example", "*"]', ...keys)
  const comment = '# What everyone accepts.\n# Once a day.\n'
  for (const [what, own, order] of [
    ['every request', text(open, '\n', comment, aup(), rule('z', 'block')), ['open', 'house-rules', 'z']],
    ['the first one', text(aup()), ['house-rules']],
    ['no empty line before it', text(open.trimEnd(), '\n', comment, aup()), ['open', 'house-rules']],
    ['every host for some', text(open, '\n', rule('all', 'allow', 'clients = ["10.0.0.0/8"]')), ['open', 'all']],
    ['every host at times', text(open, aup('switch = "s"')), ['open', 'house-rules']],
    ['every host but some', text(open, aup('except = { match = ["x.example"] }')), ['open', 'house-rules']],
    ['everything is blocked', text(open, rule('none', 'block', 'match = ["*"]')), ['open', 'none']],
    [
      'a text that looks like it',
      text('', open, 'description = """\\\n[[rules]] # \\\n"""\n', aup()),
      ['open', 'house-rules'],
    ],
  ] as const) {
    test(`above ${what}, with lines that end in ${JSON.stringify(ends)}`, async (t) => {
      const { run, policy: now, load, folder } = home(t, own)
      const all = ['ut1/adult', 'ut1/gambling']
      const names: readonly string[] = order
      const at = order.length === 1 ? 0 : 1
      const { stdout, stderr } = await run('add', ...all, '--folder', folder)
      assert.match(stdout, new RegExp(`\nAbove the rule "${names[at]}", which decides about every host\\.\n$`), stderr)
      const { current, last: loaded } = await load()
      assert.deepEqual(
        current.rules.map(({ name }) => name),
        names.toSpliced(at, 0, ...all),
      )
      assert.deepEqual([loaded.problems, loaded.warnings.filter((one) => /"ut1.*never/.test(one))], [[], []])
      if (own.includes('everyone')) assert.ok(now().includes(`${comment}[[rules]]`.replaceAll('\n', ends)))
      for (const name of all) assert.equal((await run('remove', name)).status, 0)
      assert.equal(now(), own)
    })
  }
}

test('rules that decide about every host below a list of everyone, too', async (t) => {
  const own = [
    rule('locked', 'block', 'match = ["*"]', 'switch = "shut"', 'locked = true'),
    rule('exam', 'block', 'match = ["*"]', 'switch = "exam"'),
    rule('night', 'block', 'clients = ["10.0.0.0/8"]', 'when = { from = "22:00", to = "06:00" }'),
    rule('path', 'warn', 'match = ["*/x"]'),
    rule('both', 'allow', 'match = ["*"]', 'lists = ["own"]'),
    '[[lists]]\nname = "own"\npath = "own.txt"\n',
  ]
  const { run, load } = home(t, policy(own.join('')))
  assert.match((await run('add', 'ut1/adult')).stdout, /^ut1\/adult added: [^\n]+\n$/)
  assert.equal((await load()).current.rules.at(-1)?.name, 'ut1/adult')
})

test('a removal that takes half of the rules says what the engine needs to accept it', async (t) => {
  const { run, load, policy: text } = home(t, policy(rule('own', 'block', 'match = [".own.example"]')))
  await run('add', 'ut1/adult')
  const store = await load()
  const { status, stderr } = await run('remove', 'ut1/adult')
  assert.equal(status, 0)
  assert.match(stderr, /loses half of its rules: it has 1, and had 2\. .*: gatewayctl engine reload --accept-losses\n$/)
  assert.doesNotMatch(text(), /adult/)
  const { result, problems } = await store.reload()
  assert.equal(result, 'kept')
  assert.match(`${problems}`, /must not lose half of its rules; it has 1, .* 2\. .* --accept-losses$/)
  assert.deepEqual((await store.reload(true)).problems, [])
  assert.equal(store.current.rules.length, 1)
})

test('where the timer is off, it is named: only what fetches the list makes its rule match', async (t) => {
  for (const [state, exit, isNamed] of [
    ['enabled', 0, false],
    ['disabled', 1, true],
  ] as const) {
    const { folder } = home(t)
    writeFileSync(
      join(folder, 'systemctl'),
      `#!/bin/sh\n[ "$*" = 'is-enabled gateway-lists.timer' ] && echo ${state} && exit ${exit}\n`,
    )
    chmodSync(join(folder, 'systemctl'), 0o755)
    const env = { GATEWAY_HOME: folder, PATH: `${folder}:/usr/bin:/bin` }
    const { stderr } = await gatewayctl(['lists', 'add', 'ut1/adult'], { env })
    const hint = / is off: .*: systemctl enable --now gateway-lists\.timer\n$/
    assert.equal(hint.test(stderr), isNamed, stderr)
  }
})

test('the catalogue, and what has been added', async (t) => {
  const { run, folder } = home(t)
  await run('add', 'hagezi/tif')
  const { status, stdout } = await run()
  assert.equal(status, 0)
  const lines = stdout.split('\n')
  assert.match(`${lines[0]}`, /^name +names +licence +added +about$/)
  assert.equal(lines.length, CATALOGUE.length + 2)
  assert.deepEqual(
    lines.filter((line) => / yes /.test(line)).map((line) => line.split(/ +/).slice(0, 4)),
    [['hagezi/tif', '615,000', 'GPL-3.0-only', 'yes']],
  )
  const { lists } = JSON.parse((await run('--json')).stdout)
  assert.deepEqual(
    lists.filter((one: { added: boolean }) => one.added).map((one: { name: string }) => one.name),
    ['hagezi/tif'],
  )
  for (const { licence, names, address } of CATALOGUE) {
    assert.match(licence, /^(MIT|GPL-3\.0-only|CC-BY-SA-4\.0)$/)
    assert.ok(names > 0 && address.startsWith('https://'))
  }
  rmSync(join(folder, 'engine', 'policy.toml'))
  assert.equal((await run()).status, 0)
})

test('files keep their modes; with compose the list is next to the policy', async (t) => {
  const { run, folder, config, policy: text } = home(t)
  chmodSync(config, 0o600)
  writeFileSync(join(folder, 'compose.yaml'), '')
  const { stderr } = await run('add', 'stevenblack/social')
  assert.match(stderr, /^Nothing has been downloaded: .* To fetch it: engine update-lists [^\n]*\n$/)
  assert.match(text(), /\npath = "lists\/stevenblack-social\.txt"\n/)
  assert.deepEqual([statSync(config).mode & 0o777, statSync(join(folder, 'lists.conf')).mode & 0o777], [0o600, 0o644])
  assert.match(
    (await run('remove', 'stevenblack/social')).stdout,
    new RegExp(`: ${folder}/engine/lists/stevenblack-social`),
  )
})

test('what cannot be done changes nothing and says why', async (t) => {
  const { run, config, sources, policy: text, addresses, folder } = home(t)
  const fails = async (words: readonly string[], status: number, why: RegExp) => {
    const before = [existsSync(config) && text(), existsSync(sources) && addresses()]
    const found = await run(...words)
    assert.deepEqual([found.status, found.stdout], [status, ''], found.stderr)
    assert.match(found.stderr, why)
    assert.deepEqual([existsSync(config) && text(), existsSync(sources) && addresses()], before)
  }
  const adult = ['add', 'ut1/adult']
  await fails(['add', 'ut1/nothing'], 2, /has no list "ut1\/nothing": see gatewayctl lists/)
  await fails(['add', 'ut1/adult', 'ut1/nothing'], 2, /has no list/)
  await fails(['add'], 2, /missing required argument/)
  await fails(['add', 'ut1/adult', 'ut1/adult'], 1, /has the name "ut1\/adult" already, on line \d+/)
  await fails(['remove', 'ut1/adult'], 1, /does not have "ut1\/adult" from gatewayctl lists add/)
  writeFileSync(sources, 'ut1-adult.txt https://other.example/adult.tar.gz\n')
  await fails(adult, 1, /line 1 of the addresses has another one for ut1-adult\.txt/)
  rmSync(sources)
  for (const [content, why] of [
    ['', /policy\.toml must not be empty/],
    [OWN.trimEnd(), /it may be cut/],
    [`${OWN}[[lists]]\nname = 'ut1/adult'\n`, /has the name "ut1\/adult" already, on line \d+/],
    [`${OWN}[[rules]]\n`, /policy\.toml:\d+: rules\[3\]\.name must be/],
    [`${OWN}[[rules\n`, /policy\.toml must be TOML; line \d+/],
    ['default = "allow"\nrules = []\n', /as tables, such as \[\[rules\]\]; line 2 has not/],
    [Buffer.from([0x23, 0xff, 0x0a]), /must be text in UTF-8/],
  ] as const) {
    writeFileSync(config, content)
    await fails(adult, 1, why)
  }
  writeFileSync(config, OWN)
  assert.equal((await run(...adult)).status, 0)
  await fails(adult, 1, /already/)
  const added = text()
  const line = (found: string) =>
    text()
      .split('\n')
      .findIndex((one) => one.includes(found)) + 1
  for (const [edited, why] of [
    [
      `${added}${rule('mine', 'warn', 'lists = ["ut1/adult"]')}`,
      () => `line ${line('mine') + 2} of the policy names "ut1/adult", too`,
    ],
    [
      added.replace('[[rules]]\nname = "own"', '[[rules]]\n# "ut1/adult"\nlists = ["ut1/adult", "own"]\nname = "own"'),
      () => `line ${line('"own"]')} of the policy names`,
    ],
    [
      added.replace('optional = true', 'optional = true\n[[rules]]\nname = "mine"'),
      () => 'must have one [[lists]] and one [[rules]] (tables on lines',
    ],
    [
      added.replace('# gatewayctl lists: end of ut1/adult\n', ''),
      () => 'must have its end below it: # gatewayctl lists: end of ut1/adult',
    ],
  ] as const) {
    writeFileSync(config, edited)
    await fails(['remove', 'ut1/adult'], 1, new RegExp(why().replace(/[()[\]]/g, '\\$&')))
  }
  // Edited, it is still the block that was added.
  writeFileSync(
    config,
    added.replace('action = "block"\n# gatewayctl', 'action = "warn"\ngroups = ["staff"]\n# gatewayctl'),
  )
  assert.equal((await run('remove', 'ut1/adult')).status, 0)
  assert.equal(text(), OWN)
  rmSync(config)
  await fails(adult, 2, new RegExp(`there is no policy ${join(folder, 'engine')}.*; --policy names it`))
})
