// Configurations in squidGuard, and as policies: the same verdicts, but for what docs/import.md names.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { startEngineProcess } from '../../test/support/engine-process.ts'
import { skipWithoutSquidGuard, withBoth } from './both.ts'
import { configuration, moment, request } from './random-configuration.ts'

const RUNS = 250
const FRIDAY = '2026-11-27T10:00:30'

test('random configurations: each request gets the same verdict', {
  skip: skipWithoutSquidGuard,
  timeout: 400_000,
}, async () => {
  let [asked, blocked, differing] = [0, 0, 0]
  await fc.assert(
    fc.asyncProperty(
      configuration,
      fc.array(request, { minLength: 20, maxLength: 40 }),
      moment,
      async (given, requests, at) => {
        await withBoth(given, ({ squidGuard, policy, config }) => {
          const expected = squidGuard(requests, at)
          const found = policy(requests, at)
          asked += requests.length
          blocked += expected.filter((one) => one === 'block').length
          if (expected.includes('pass') && expected.includes('block')) differing++
          const wrong = requests.filter((_, index) => found[index] !== expected[index])
          assert.deepEqual(wrong, [], `${given.configuration}\n${readFileSync(config, 'utf8')}`)
        })
      },
    ),
    { numRuns: RUNS },
  )
  assert.ok(blocked > asked / 5 && blocked < (asked * 4) / 5, `${blocked} of ${asked} requests were blocked`)
  assert.ok(differing > RUNS / 5, `only ${differing} configurations block some requests and pass others`)
})

const END = 'acl { default {\n pass !it all\n redirect http://r/\n }\n }'

/** What is decided otherwise: squidGuard's verdict, and the policy's. Each row has a sentence in docs/import.md. */
const DIFFERENCES = [
  [
    'the beginning of a word',
    `dest it { urllist u\n }\n${END}`,
    { u: 'a.test/foo' },
    'http://a.test/foobar',
    'block',
    'pass',
  ],
  ['a query', `dest it { urllist u\n }\n${END}`, { u: 'a.test/x?y=1' }, 'http://a.test/x?y=1', 'block', 'pass'],
  [
    'other names below one that is listed',
    `dest it { domainlist d\n }\n${END}`,
    { d: 'a.test\nx.a.test' },
    'http://y.a.test/',
    'pass',
    'block',
  ],
  [
    'hosts below that of an address',
    `dest it { urllist u\n }\n${END}`,
    { u: 'a.test/foo' },
    'http://m.a.test/foo',
    'pass',
    'block',
  ],
  [
    'www with a port',
    `dest it { urllist u\n }\n${END}`,
    { u: 'www.a.test/foo' },
    'http://www.a.test:8080/foo',
    'pass',
    'block',
  ],
  [
    'a dot before a port',
    `dest it { urllist u\n }\n${END}`,
    { u: 'a.test/foo' },
    'http://a.test.:8080/foo',
    'pass',
    'block',
  ],
  [
    'IPv6',
    `acl { default {\n pass !in-addr all\n redirect http://r/\n }\n }`,
    {},
    'http://[2001:db8::7]/',
    'pass',
    'block',
  ],
  ['expressions', `dest it { expressionlist e\n }\n${END}`, { e: 'casino' }, 'http://casino.test/', 'block', 'pass'],
  [
    'no redirect',
    `dest it { domainlist d\n }\nacl { default {\n pass !it all\n }\n }`,
    { d: 'a.test' },
    'http://a.test/',
    'pass',
    'block',
  ],
  [
    'dates of every year',
    `time t { date *.11.27\n }\ndest it { domainlist d\n within t\n }\n${END}`,
    { d: 'a.test' },
    'http://a.test/',
    'block',
    'pass',
    '2036-11-27T10:00:30',
  ],
  [
    'the last minute of a date',
    `time t { date 2026-11-27\n }\ndest it { domainlist d\n within t\n }\n${END}`,
    { d: 'a.test' },
    'http://a.test/',
    'pass',
    'block',
    '2026-11-27T23:59:30',
  ],
  [
    'case',
    `dest it { urllist u\n }\nacl { default {\n pass it none\n redirect http://r/\n }\n }`,
    { u: 'a.test/foo' },
    'http://a.test/FOO',
    'pass',
    'block',
  ],
  [
    'commas',
    'src s { user anna, ben\n }\nacl { s {\n pass none\n }\n default {\n pass all\n redirect http://r/\n }\n }',
    {},
    'http://a.test/',
    'pass',
    'block',
  ],
] as const

test('docs/import.md names each difference', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/import.md'), 'utf8')
  for (const [name] of DIFFERENCES) assert.ok(document.includes(`**${name}**`), name)
})

for (const [name, blocks, files, url, ofSquidGuard, ofPolicy, at = FRIDAY] of DIFFERENCES) {
  test(`a named difference: ${name}`, { skip: skipWithoutSquidGuard }, async () => {
    const given = { configuration: `dbhome DBHOME\nlogdir DBHOME\n${blocks}\n`, files }
    await withBoth(given, ({ squidGuard, policy }) => {
      const asked = [{ url, client: '10.0.0.7', user: 'anna' }]
      assert.deepEqual([squidGuard(asked, at), policy(asked, at)], [[ofSquidGuard], [ofPolicy]])
    })
  })
}

test('the engine itself accepts an imported policy, and decides as squidGuard does', {
  skip: skipWithoutSquidGuard,
  timeout: 120_000,
}, async (t) => {
  const given = {
    configuration: readFileSync(join(import.meta.dirname, '../../test/gatewayctl/import/school.conf'), 'utf8'),
    files: { 'adult/domains': 'adult.test\n', 'adult/urls': 'mixed.test/adult\n', 'good/domains': 'school.test\n' },
  }
  await withBoth(given, async ({ squidGuard, config }) => {
    const folder = dirname(config)
    const checked = spawnSync(process.execPath, [
      ...['src/engine/main.ts', '--config', config, '--publish', join(folder, 'published'), '--listen', '127.0.0.1:0'],
      ...['--ops', '', '--secret-file', join(folder, 'secret'), '--api-token-file', join(folder, 'token'), '--check'],
    ])
    assert.match(String(checked.stdout), /: no problems; rules: [0-9]+, lists: 2/, String(checked.stderr))
    const engine = await startEngineProcess(folder, { config, options: ['--ops', ''] })
    t.after(() => engine.kill('SIGKILL'))
    const requests = [
      'http://adult.test/',
      'http://www.mixed.test/adult/x',
      'http://mixed.test/',
      'http://school.test/',
    ]
      .flatMap((url) => ['10.1.0.7', '10.2.0.7', '10.9.0.7'].map((client) => ({ url, client })))
      .concat([{ url: 'http://192.0.2.7/', client: '10.1.0.7' }])
    // Its clock is the machine's: the times of the configuration are whole days.
    const verdicts = []
    for (const one of requests) {
      const { body } = await engine.request('POST', '/api/decision', one)
      verdicts.push(JSON.parse(body).verdict === 'allow' ? 'pass' : 'block')
    }
    await engine.stop()
    assert.deepEqual(verdicts, squidGuard(requests, FRIDAY))
  })
})
