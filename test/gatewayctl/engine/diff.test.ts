// `engine diff` against a running engine, which has stopped requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { policy } from '../../engine/running-engine.ts'
import { HOSTILE_RULE, HOSTILE_USER } from '../../support/hostile.ts'
import { rule } from '../../support/rules.ts'
import { type AdministeredEngine, startAdministered } from './against-engine.ts'

const LIST = '[[lists]]\nname = "adult"\npath = "adult.txt"\n'
const WIKI = '[[expect]]\nurl = "https://wiki.example/"\nverdict = "allow"\n'
/** In place of that one: to lose all is a loss. */
const OTHER = WIKI.replace('wiki', 'other')
const IN_FORCE = policy(
  `${rule('adults', 'block', 'lists = ["adult"]')}${rule('games', 'warn', 'match = [".games.example"]')}` +
    `${rule(HOSTILE_RULE, 'block', 'match = ["evil.example"]')}${LIST}${WIKI}`,
)

/** Six stopped requests of four people. */
async function stop(engine: AdministeredEngine): Promise<void> {
  for (const [url, client, user] of [
    ['https://a.games.example/', '198.51.100.7', undefined],
    ['https://a.games.example/x', '198.51.100.7', undefined],
    ['https://b.games.example/', '2001:db8::7', undefined],
    ['https://b.games.example/', '2001:db8::8', undefined],
    ['https://b.games.example/', '198.51.100.9', 'anna'],
    ['https://adult.example/', '198.51.100.8', 'ANNA'],
    ['https://evil.example/', '198.51.100.8', HOSTILE_USER],
  ] as const) {
    assert.notEqual((await engine.decide(url, client, user)).json.verdict, 'allow')
    engine.pass(60)
  }
}

test('what another policy opens, of how many people and by which rules, and what it stops of what is expected', async (t) => {
  const engine = await startAdministered(t, IN_FORCE)
  await stop(engine)
  const line = (toml: string, name: string) => toml.split('\n').findIndex((text) => text.includes(`"${name}"`))
  const wiki = rule('wiki', 'block', 'match = [".wiki.example"]')
  const changed = policy(
    `${rule('school', 'allow', 'match = ["b.games.example"]')}${wiki}${rule('adults', 'warn', 'lists = ["adult"]')}${LIST}${OTHER}`,
  )
  await engine.write(changed, 'new.toml')
  const { revision } = engine.policies.current
  const { status, stdout, stderr } = await engine.run(['diff', 'new.toml'])
  assert.deepEqual([status, stderr], [0, ''])
  const [adults, games] = ['adults', 'games'].map((name) => `the rule ${name} (line ${line(IN_FORCE, name)})`)
  const hostile = `the rule "><script>\\u{202e}\\u{2066}rm -rf (line ${IN_FORCE.split('\n').findIndex((text) => text.includes('script>'))})`
  assert.equal(
    stdout,
    `\
${engine.folder}/new.toml, tried on 7 stopped requests since 2027-01-15 09:00:00:

opens 6, of 4 people, by these rules:
  3 of 2: stopped with a warning by ${games}, then allowed by the rule school (line ${line(changed, 'school')})
    b.games.example (3)
  2 of 1: stopped with a warning by ${games}, then allowed by the default
    a.games.example (2)
  1 of 1: blocked by ${hostile}, then allowed by the default
    evil.example (1)
stops otherwise 1, of 1 person, by these rules:
  1 of 1: blocked by ${adults}, then stopped with a warning by the rule adults (line ${line(changed, 'adults')})
    adult.example (1)

Among the names of [[expect]] it
  stops
    https://wiki.example/: allowed by the default, then blocked by the rule wiki (line ${line(changed, 'wiki')}) (${engine.folder}/policy.toml:${IN_FORCE.split('\n').indexOf('[[expect]]') + 1}: expect[1])
  opens none
  stops otherwise none
`,
  )
  assert.equal(engine.policies.current.revision, revision, 'nothing has come into force')
  const json = JSON.parse((await engine.run(['diff', 'new.toml', '--json'])).stdout)
  assert.deepEqual([json.stopped, json.opens.requests, json.opens.people, json.open], [7, 6, 4, 0])
  // It uses the names in force, which are still searched.
  assert.equal((await engine.decide('https://www.adult.example/')).json.verdict, 'block')
})

test('without a stopped request it says that nothing was tried, not that nothing is opened', async (t) => {
  const engine = await startAdministered(t, IN_FORCE)
  await engine.write(IN_FORCE.replace('.games.example', '.other.example'), 'new.toml')
  const { status, stdout, stderr } = await engine.run(['diff', 'new.toml'])
  assert.deepEqual([status, stderr], [0, ''])
  assert.equal(
    stdout,
    `\
${engine.folder}/new.toml was tried on no request: this engine has stopped none since its start. What it opens is not known.

Among the names of [[expect]] it
  stops none
  opens none
  stops otherwise none
`,
  )
  const json = JSON.parse((await engine.run(['diff', 'new.toml', '--json'])).stdout)
  assert.deepEqual([json.stopped, json.since, json.opens.requests], [0, null, 0])
})

test('why a reload would reject the file: losses, and what it breaks', async (t) => {
  const engine = await startAdministered(t, IN_FORCE)
  await engine.write(policy(rule('wiki', 'block', 'match = [".wiki.example"]') + WIKI), 'new.toml')
  const { status, stdout, stderr } = await engine.run(['diff', 'new.toml'])
  assert.equal(status, 1)
  assert.match(stdout, /^ {2}opens none$/m)
  assert.match(
    stderr,
    /^problem: .*new\.toml must not lose half of its rules; it has 1, and the last accepted one 3\./m,
  )
  assert.match(
    stderr,
    /^problem: .*new\.toml:\d+: expect\[1\]: "https:\/\/wiki\.example\/" must be allowed; it is now blocked/m,
  )
  assert.match(stderr, /^error: a reload would keep the policy in force$/m)
})

test('lists of its own are read, and freed again; a file that cannot be read, or is elsewhere, is a problem', async (t) => {
  const engine = await startAdministered(t, IN_FORCE)
  await stop(engine)
  await engine.write('a.games.example\n', 'own.txt')
  const own = `${LIST}[[lists]]\nname = "own"\npath = "own.txt"\n`
  const three = `${rule('one', 'block')}${rule('adults', 'block', 'lists = ["adult"]')}${rule('own', 'block', 'lists = ["own"]')}`
  await engine.write(policy(three + own + OTHER), 'new.toml')
  for (let count = 0; count < 2; count++) {
    const { opens, changes } = JSON.parse((await engine.run(['diff', 'new.toml', '--json'])).stdout)
    assert.deepEqual([opens.requests, changes.requests], [4, 2])
  }
  await engine.write(policy(three + OTHER + own.replace('own.txt', 'missing.txt')), 'new.toml')
  const missing = await engine.run(['diff', 'new.toml'])
  assert.deepEqual([missing.status, missing.stdout], [2, ''])
  assert.match(missing.stderr, /missing\.txt must be a file that can be read; the system reports ENOENT/)
  await engine.write(policy(rule('one', 'blok')), 'new.toml')
  assert.match(
    (await engine.run(['diff', 'new.toml'])).stderr,
    /^error: the engine: .*new\.toml:\d+: rules\[1\]\.action must be/,
  )
  assert.match(
    (await engine.run(['diff', 'other.toml'])).stderr,
    /other\.toml must be a file that can be read; the system reports ENOENT/,
  )
  for (const name of ['../new.toml', '/etc/passwd', './new.toml']) {
    const { status, stderr } = await engine.run(['diff', name])
    assert.equal(status, 2)
    assert.match(stderr, /^error: name the file without its folder/)
  }
  for (const file of ['../new.toml', '/etc/new.toml', 'a\0.toml', 'secret', '', '..\\new.toml', 7]) {
    const { status, text } = await engine.administer('diff', { file })
    assert.equal(status, 400, `${file}`)
    assert.match(text, /\\"file\\" must be the name of a file that ends in \.toml/)
  }
  assert.equal((await engine.decide('https://www.adult.example/')).json.verdict, 'block')
})
