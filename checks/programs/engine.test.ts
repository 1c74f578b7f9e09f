import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../../test/support/compile-cache.ts'
import { logLine } from '../../test/support/log-line.ts'
import { SECRET } from '../../test/support/payloads.ts'
import { policyFolder } from '../../test/support/policy-engine.ts'
import { rule } from '../../test/support/rules.ts'
import { until } from '../../test/support/until.ts'

const source = (name: string) => fileURLToPath(new URL(`../../src/engine/${name}`, import.meta.url))
const SAMPLE = ['--config', source('sample-policy.toml')]

/** Options of an engine that publishes into its folder, and listens on a free port. */
function optionsIn(folder: string): readonly string[] {
  return [...secretsIn(folder), '--publish', folder, '--listen', '127.0.0.1:0']
}

function secretsIn(folder: string): readonly string[] {
  const secret = join(folder, 'secret')
  return ['--secret-file', secret, '--api-token-file', secret]
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-process-'))
  t.after(async () => {
    // They write into it.
    await endAll()
    await rm(folder, { recursive: true })
  })
  await writeFile(join(folder, 'secret'), SECRET)
  return folder
}

const running = new Set<ChildProcess>()

async function endAll(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(Array.from(running, (child) => once(child, 'close')))
}

function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [source('main.ts'), ...args], {
    env: { ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.on('close', () => running.delete(child))
  t.after(endAll)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  return { child, output }
}

/** @returns an address with a port on which something listens */
async function addressInUse(t: TestContext): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function exitCode(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'close')
  return code
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`listens, answers over verified TLS, and exits with status 0 on ${signal}`, { timeout: 20_000 }, async (t) => {
    const folder = await makeFolder(t)
    const options = optionsIn(folder)
    const { child, output } = start(t, [...SAMPLE, ...options], {
      GATEWAY_CAPTIVE_BASE_URL: 'http://localhost:8000',
      GATEWAY_CAPTIVE_HOSTNAME: 'captive.internal',
      GATEWAY_ORG_NAME: `Schulhaus "Süd" #1 ${'x'.repeat(100)}`,
    })
    const line = await logLine(child.stdout, /listening/)
    const address = /^\{.*"msg":"listening on (https:\/\/127\.0\.0\.1:\d+)"\}$/.exec(`${line}`)?.[1]
    assert.ok(address, output.stdout + output.stderr)
    const ca = await readFile(join(folder, 'ca', 'ca.crt'))
    assert.equal(
      new X509Certificate(ca).toLegacyObject().subject.O,
      `Schulhaus "Süd" #1 ${'x'.repeat(100)}`.slice(0, 64),
    )
    const sent = request(`${address}/api/decision`, {
      method: 'POST',
      ca,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` },
    })
    sent.end(JSON.stringify({ url: 'http://casino.localhost:8080/', client: '127.0.0.1' }))
    const [response] = await once(sent, 'response')
    const chunks = await response.toArray()
    assert.match(Buffer.concat(chunks).toString(), /"redirect":"http:\/\/localhost:8000\/blocked\?p=/)
    const leaf = new X509Certificate(await readFile(join(folder, 'terminator', 'portal.crt')))
    assert.equal(leaf.subjectAltName, 'DNS:captive.internal, DNS:localhost')
    child.kill(signal)
    assert.equal(await exitCode(child), 0)
    for (const line of output.stdout.trimEnd().split('\n')) JSON.parse(line)
    assert.equal(output.stderr, '')
  })
}

test('help, version, and mistakes on the command line', { timeout: 20_000 }, async (t) => {
  const version = start(t, ['--version'])
  assert.equal(await exitCode(version.child), 0)
  assert.match(version.output.stdout, /^\d{4}\.\d+\.\d+\n$/)
  const help = start(t, ['--help'])
  assert.equal(await exitCode(help.child), 0)
  assert.match(help.output.stdout, /^Usage: /)
  for (const args of [[], ['--nonsense'], [...SAMPLE, 'extra']]) {
    const { child, output } = start(t, args)
    assert.equal(await exitCode(child), 2)
    assert.match(output.stderr, /Usage: /)
  }
})

test('--check checks certificates, state and ports, and changes nothing', { timeout: 30_000 }, async (t) => {
  const folder = await makeFolder(t)
  const check = async (args: readonly string[]) => {
    const { child, output } = start(t, [...SAMPLE, ...secretsIn(folder), ...args, '--check'])
    return { status: await exitCode(child), ...output }
  }
  // A publishing engine has everything that a check reads.
  const published = join(folder, 'published')
  const running = start(t, [...SAMPLE, ...secretsIn(folder), '--publish', published, '--listen', '127.0.0.1:0'])
  const [, port] = /127\.0\.0\.1:(\d+)"/.exec(`${await logLine(running.child.stdout, /"listening/)}`) ?? []
  const whileRunning = await check(['--publish', published, '--listen', `127.0.0.1:${port}`])
  assert.equal(whileRunning.status, 0, whileRunning.stderr)
  assert.match(whileRunning.stdout, /^warning: the engine is running: whether its ports are free was not checked$/m)
  const icap = ['--icap', `127.0.0.1:${port}`, '--icap-token-file', join(folder, 'secret')]
  const used = await check(['--publish', published, '--listen', '127.0.0.1:0', ...icap])
  assert.equal(used.status, 2)
  const inUse = `icap.listen must name an address that can be used; cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE)`
  assert.ok(used.stderr.includes(inUse), used.stderr)
  running.child.kill('SIGTERM')
  assert.equal(await exitCode(running.child), 0)
  const before = await readdir(published, { recursive: true })
  assert.equal((await check(['--publish', published, '--listen', '127.0.0.1:0'])).status, 0)
  assert.deepEqual(await readdir(published, { recursive: true }), before)

  await writeFile(join(published, 'engine', 'state.db'), 'no database, but long enough to be seen as another file')
  const broken = await check(['--publish', published, '--listen', '127.0.0.1:0'])
  assert.equal(broken.status, 2)
  assert.match(
    broken.stderr,
    /^The configuration has 1 problem:\n {2}state\.url must name a database that can be used; the file is not an SQLite database/,
  )

  const file = join(folder, 'secret')
  const unwritable = await check(['--publish', join(file, 'below'), '--listen', '192.0.2.1:1'])
  assert.equal(unwritable.status, 2)
  assert.match(unwritable.stderr, /certificates\.folder must name a folder that can be created or written to/)
  assert.match(unwritable.stderr, /control\.listen must .*: this machine does not have the address \(EADDRNOTAVAIL\)/)
})

test('every problem is reported in one run: of rules, lists, other files, CA, state and ports', {
  timeout: 20_000,
}, async (t) => {
  const folder = await makeFolder(t)
  const listen = await addressInUse(t)
  await mkdir(join(folder, 'ca'))
  await writeFile(join(folder, 'ca', 'ca.crt'), 'garbage')
  await writeFile(join(folder, 'state.key'), 'short')
  await writeFile(
    join(folder, 'policy.toml'),
    `default = "deny"
[captive_portal]
base_url = "https://portal.example"
[state]
key_file = "${join(folder, 'state.key')}"
[[rules]]
name = "one"
match = ["a.example"]
lists = ["missing"]
action = "deny"
[[rules]]
name = "two"
match = []
groups = ["staff"]
action = "block"
[[lists]]
name = "list"
path = "nowhere.txt"
[groups]
staff = { file = "staff.txt" }
`,
  )
  const options = [
    '--config',
    join(folder, 'policy.toml'),
    ...secretsIn(folder),
    '--publish',
    folder,
    '--listen',
    listen,
  ]
  const ofSettings = [
    ...[':1: default', ':9: rules[1].lists[1]', ':10: rules[1].action', ':13: rules[2].match'],
    ...[':20: groups.staff.file', ':18: lists[1].path: '],
  ].map((thing) => `  ${join(folder, 'policy.toml')}${thing}`)
  const problems = (text: string, expected: readonly string[]) => {
    for (const one of expected) assert.ok(text.includes(`\n${one}`), `${one} is missing:\n${text}`)
    assert.ok(text.startsWith(`The configuration has ${expected.length} problems:\n`), text)
  }
  const checked = start(t, [...options, '--check'])
  assert.equal(await exitCode(checked.child), 2)
  problems(checked.output.stderr, [
    ...ofSettings,
    ...['  certificates.folder must hold a usable CA', '  the file of state.key_file', '  control.listen must name'],
  ])
  const started = start(t, options)
  assert.equal(await exitCode(started.child), 2)
  problems(started.output.stderr, ofSettings)
})

test('a port that is in use: one clear line, and status 1; without the operations listener it decides all the same', {
  timeout: 30_000,
}, async (t) => {
  const folder = await makeFolder(t)
  const used = await addressInUse(t)
  const token = ['--icap-token-file', join(folder, 'secret')]
  for (const [args, setting] of [
    [['--listen', used], 'control.listen'],
    [['--icap', used, ...token], 'icap.listen'],
  ] as const) {
    const { child, output } = start(t, [...SAMPLE, ...optionsIn(folder), ...args])
    assert.equal(await exitCode(child), 1)
    const { level, msg, err } = JSON.parse(output.stdout.trimEnd().split('\n').at(-1) ?? '')
    assert.deepEqual(
      [level, msg, err],
      [60, `cannot listen on ${used}: the port is in use (EADDRINUSE); ${setting}`, undefined],
    )
    assert.equal(output.stderr, '')
  }
  const policy = join(folder, 'policy.toml')
  await writeFile(policy, `${await readFile(source('sample-policy.toml'), 'utf8')}\n[ops]\nlisten = "${used}"\n`)
  const { child, output } = start(t, ['--config', policy, ...optionsIn(folder)])
  await logLine(child.stdout, /"listening/)
  const fault = `"level":50,.*"msg":"cannot listen on ${used}: .*; ops\\.listen: there are no metrics until the next start"`
  assert.match(output.stdout, new RegExp(fault))
  assert.doesNotMatch(output.stdout, /"stack"/)
})

test('SIGHUP reloads the policy', { timeout: 20_000 }, async (t) => {
  const folder = await makeFolder(t)
  const { child, output } = start(t, [...SAMPLE, ...optionsIn(folder)])
  while (!output.stdout.includes('listening')) await once(child.stdout as NodeJS.EventEmitter, 'data')
  child.kill('SIGHUP')
  while (output.stdout.split('policy loaded').length < 3) await once(child.stdout as NodeJS.EventEmitter, 'data')
  // Before its folder is removed, into which it publishes after a reload.
  child.kill('SIGTERM')
  assert.equal(await exitCode(child), 0)
})

test('SIGHUP before the policy is open does no harm', { timeout: 30_000 }, async (t) => {
  const folder = await makeFolder(t)
  const policy = join(folder, 'policy.toml')
  const sections = '[ops]\nlisten = "127.0.0.1:0"\n[[lists]]\nname = "long"\npath = "long.txt"\n'
  await writeFile(policy, `${await readFile(source('sample-policy.toml'), 'utf8')}\n${sections}`)
  // It takes a while to read.
  const names = Array.from({ length: 500_000 }, (_, index) => `name-${index}.example`)
  await writeFile(join(folder, 'long.txt'), names.join('\n'))
  const { child, output } = start(t, ['--config', policy, ...optionsIn(folder)])
  await logLine(child.stdout, /operations listener/)
  assert.doesNotMatch(output.stdout, /policy loaded/)
  child.kill('SIGHUP')
  await logLine(child.stdout, /"listening/)
  child.kill('SIGTERM')
  assert.equal(await exitCode(child), 0)
  assert.equal(output.stderr, '')
})

test('a state that cannot be used ends the start: a broken key file with status 2, a database with 1', {
  timeout: 20_000,
}, async (t) => {
  const folder = await makeFolder(t)
  const options = optionsIn(folder)
  const startWith = async (state: string) => {
    const policy = join(folder, 'policy.toml')
    await writeFile(
      policy,
      (await readFile(source('sample-policy.toml'), 'utf8')).replace(
        '[certificates]',
        `[state]\n${state}\n[certificates]`,
      ),
    )
    return start(t, ['--config', policy, ...options])
  }
  const running = await startWith('')
  assert.ok(await logLine(running.child.stdout, /listening/))
  running.child.kill('SIGTERM')
  assert.equal(await exitCode(running.child), 0)
  assert.deepEqual((await readdir(join(folder, 'engine'))).sort(), [
    ...['accepted-policy.toml', 'ca.key', 'journal.db', 'state.db', 'state.key'],
  ])
  await writeFile(join(folder, 'engine', 'state.key'), 'short')
  const broken = await startWith('')
  assert.equal(await exitCode(broken.child), 2)
  assert.match(broken.output.stderr, /state\.key, must have 32 or more characters in each secret/)
  const keyFile = `key_file = "${join(folder, 'another.key')}"`
  const unusable = await startWith(`${keyFile}\nurl = "sqlite:///${join(folder, 'missing', 'state.db')}"`)
  assert.equal(await exitCode(unusable.child), 1)
  assert.match(unusable.output.stdout, /"msg":"the state's database is not usable; stopping"/)
  assert.match(unusable.output.stdout, /ENOENT/)
})

test('a failure at startup is one fatal log line and status 1', { timeout: 20_000 }, async (t) => {
  const folder = await makeFolder(t)
  await mkdir(join(folder, 'ca'))
  await writeFile(join(folder, 'ca', 'ca.crt'), 'garbage')
  const broken = start(t, [...SAMPLE, ...optionsIn(folder)])
  assert.equal(await exitCode(broken.child), 1)
  assert.match(broken.output.stdout, /ca\.crt exists, but .*ca\.key is missing/)
  assert.equal(broken.output.stdout.match(/"level":60/g)?.length, 1)
  assert.equal(broken.output.stderr, '')
})

const rules = (names: readonly string[]) => names.map((name) => rule(name, 'block')).join('')
const FOUR = rules(['one', 'two', 'three', 'four'])
const LOST =
  'must not lose half of its rules; it has 1, and the last accepted one 4. To accept it: gatewayctl engine reload --accept-losses'

test('a restart with a file that lost its rules decides by the copy until the loss is accepted', {
  timeout: 60_000,
}, async (t) => {
  const { config, copy, start, run } = policyFolder(t, FOUR)
  await (await start()).stop()
  assert.equal(await readFile(copy, 'utf8'), FOUR)
  assert.equal((await stat(copy)).mode & 0o777, 0o600)
  await writeFile(config, rules(['one']))

  const published = () => readdir(join(copy, '..'))
  const before = await published()
  const checked = await run('--check')
  assert.deepEqual([checked.status, checked.stderr.includes(`  ${config} ${LOST}\n`)], [2, true], checked.stderr)
  const rotated = await run('--rotate-ca', '30')
  assert.deepEqual([rotated.status, rotated.stderr], [2, `The configuration has 1 problem:\n  ${config} ${LOST}\n`])
  assert.deepEqual([await published(), await readFile(copy, 'utf8')], [before, FOUR], 'nothing is changed')

  const engine = await start()
  assert.equal(await engine.verdict('four.example'), 'block')
  const { policy, last_load } = await engine.administer('status')
  assert.equal((policy as { rules: number }).rules, 4)
  assert.deepEqual(last_load, { result: 'kept', problems: [`${config} ${LOST}`], warnings: [] })
  const [line] = engine.lines()
  assert.deepEqual([line?.level, line?.problems], [50, [`${config} ${LOST}`]])
  assert.equal(line?.msg, `policy kept: the engine starts with ${copy}, the policy accepted last`)

  // Later changes are detected and compared as usual.
  await writeFile(config, rules(['one', 'two', 'five']))
  await until(async () => (await engine.verdict('five.example')) === 'block')
  await writeFile(config, rules(['one']))
  assert.equal((await engine.administer('reload', { accept_losses: true })).result, 'loaded')
  assert.equal(await readFile(copy, 'utf8'), rules(['one']))
  await engine.stop()
  assert.equal((await run('--check')).status, 0)
  const restarted = await start()
  assert.equal(await restarted.verdict('two.example'), 'allow')
  assert.deepEqual((await restarted.administer('status')).last_load, { result: 'loaded', problems: [], warnings: [] })
})

test('--check fails where the policy breaks an expectation; a start reports that and goes on', {
  timeout: 60_000,
}, async (t) => {
  const expected = '[[expect]]\nurl = "http://one.example/"\nverdict = "allow"\n'
  const { config, start, run } = policyFolder(t, `${rules(['one'])}${expected}`)
  const problem = `${config}:5: expect[1]: "http://one.example/" must be allowed; it is now blocked by line 1, the rule "one", by its pattern "one.example"`
  const checked = await run('--check')
  assert.deepEqual([checked.status, checked.stderr.trim().split('\n').slice(1)], [2, [`  ${problem}`]])
  const engine = await start()
  assert.equal(await engine.verdict('one.example'), 'block')
  const { last_load } = await engine.administer('status')
  assert.deepEqual(last_load, { result: 'loaded', problems: [], warnings: [problem] })
  const broken = engine.lines().find(({ msg }) => msg === 'expectations broken')
  assert.deepEqual([broken?.level, broken?.problems], [50, [problem]])
  await engine.stop()
  await writeFile(config, `${rules(['one'])}${expected.replace('one', 'two')}`)
  const met = await run('--check')
  assert.equal(met.status, 0, met.stderr)
  assert.match(met.stdout, /: no problems; rules: 1, lists: 0, names: 0, expectations: 1\n$/)
})
