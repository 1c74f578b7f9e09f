// The units for an installation without containers: systemd accepts every line and rates them as hardened, and no user reaches the
// files of another. checks/packages/ starts them.
import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sections } from '../../src/portal/settings/config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { analyze, FOLDER, HARDENING, read, settings, skip } from './units.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The units' path of the portal. */
const INSTALLED = '/opt/gateway-captive-portal'
const MAX_EXPOSURE = 1.5
const SYSUSERS = readFileSync(join(FOLDER, 'gateway.sysusers'), 'utf8')

const units = readdirSync(FOLDER).filter((name) => name.endsWith('.service'))
const timers = readdirSync(FOLDER).filter((name) => name.endsWith('.timer'))

test(`each unit's exposure is below ${MAX_EXPOSURE}`, { skip }, (t) => {
  assert.equal(units.length, 10)
  for (const unit of units) {
    const { stdout, stderr } = analyze('security', '--offline=true', join(FOLDER, unit))
    const [, level] = /Overall exposure level for \S+: (\d+\.\d) /.exec(stdout) ?? assert.fail(stderr)
    t.diagnostic(`${unit}: ${level}`)
    assert.ok(Number(level) < MAX_EXPOSURE, `${unit}: ${level}`)
  }
})

test('no service starts without the sandbox of all, or changes a part of it', () => {
  const shared = read(HARDENING).match(/^\w+(?==)/gm) ?? []
  assert.ok(shared.length > 20)
  for (const unit of units) {
    assert.deepEqual(settings(unit, 'AssertPathExists'), [`/etc/systemd/system/${HARDENING}`], unit)
    for (const name of shared) assert.doesNotMatch(read(unit), new RegExp(`^${name}=`, 'm'), unit)
  }
})

test('systemd accepts every line, and the programs that the units start exist', { skip }, (t) => {
  const folder = temporaryFolder(t)
  const installed = join(folder, 'installed')
  mkdirSync(join(installed, 'bin'), { recursive: true })
  symlinkSync(process.execPath, join(installed, 'bin', 'node'))
  for (const name of ['src', 'deploy', 'docs']) symlinkSync(join(ROOT, name), join(installed, name))
  mkdirSync(join(folder, dirname(HARDENING)))
  copyFileSync(join(FOLDER, HARDENING), join(folder, HARDENING))
  let scripts = 0
  assert.equal(timers.length, 6)
  for (const unit of [...units, ...timers]) {
    const path = join(folder, unit)
    writeFileSync(path, read(unit).replaceAll(INSTALLED, installed))
    chmodSync(path, 0o644)
    const { stdout, stderr } = analyze('verify', '--man=no', path)
    const files = [unit, basename(HARDENING)]
    const complaints = (stdout + stderr).split('\n').filter((line) => files.some((file) => line.includes(file)))
    assert.deepEqual(complaints, [])
    for (const [, script] of read(unit).matchAll(/^ExecStart=.* (src\/\S+)/gm)) {
      assert.ok(readFileSync(join(ROOT, `${script}`)).length > 0)
      scripts++
    }
  }
  assert.ok(scripts > 0, 'no unit starts a program of ours')
})

test('secrets are passed only as credentials, and the users exist in sysusers.d', () => {
  const named = (type: string) => SYSUSERS.match(new RegExp(`^${type} \\S+`, 'gm'))?.map((line) => line.slice(2)) ?? []
  const users = named('u')
  const groups = [...users, ...named('g')]
  let secrets = 0
  for (const unit of units) {
    const [user = '', group = ''] = ['User', 'Group'].flatMap((name) => settings(unit, name))
    assert.ok(users.includes(user) && groups.includes(group), unit)
    const files = [
      ...read(unit).matchAll(
        /(?:_FILE=|--secret-file |--api-token-file |--icap-token-file |--password-file |--webhook-token-file |alarms check --config |update-lists |update-groups )(\S+)/g,
      ),
    ].map(([, file]) => file)
    const credentials = settings(unit, 'LoadCredential').map((credential) => `%d/${credential.split(':', 1)[0]}`)
    assert.deepEqual(files.toSorted(), credentials.toSorted(), unit)
    secrets += files.length
  }
  assert.ok(secrets > 0, 'no unit has a secret')
})

test('scripts and programs read nothing of /proc that the sandbox hides', () => {
  assert.deepEqual(settings('gateway-proxy.service', 'ProcSubset'), ['pid'])
  const commands = units.map((unit) => settings(unit, 'ExecStart').join(' '))
  const scripts = commands.flatMap((command) => command.match(/(?<=\/)deploy\/terminator\/\S+/g) ?? [])
  const programs = commands.flatMap((command) => command.match(/\bsrc\/(portal|engine|proxy)\/(?=main\.ts\b)/g) ?? [])
  assert.ok(scripts.length === 1 && new Set(programs).size === 3, `${[...scripts, ...programs]}`)
  for (const path of [...scripts, ...programs.flatMap((folder) => globSync(`${folder}**/*.ts`, { cwd: ROOT }))]) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    assert.deepEqual(text.match(/\/proc\/(?!self\b)\S*/g) ?? [], [], path)
  }
})

test('the watcher reads the files of the proxy, in the same order: it looks for the proxy where that listens', () => {
  const [watcher, proxy] = ['gateway-alarms.service', 'gateway-proxy.service'].map((unit) =>
    settings(unit, 'EnvironmentFile'),
  )
  assert.deepEqual(watcher, proxy)
  assert.equal(proxy?.length, 2)
})

for (const [client, variable, token] of [
  ['gateway-portal.service', 'ENGINE_API_TOKEN_FILE', 'api-token'],
  ['gateway-proxy.service', 'PROXY_ICAP_TOKEN_FILE', 'icap-token'],
] as const) {
  test(`${client} sends its token, and the engine demands it`, () => {
    const name = token === 'api-token' ? 'engine-api-token' : token
    assert.ok(settings(client, 'Environment').includes(`${variable}=%d/${name}`))
    assert.match(read('gateway-engine.service'), new RegExp(` --${token}-file %d/${name}( |$)`, 'm'))
    for (const unit of [client, 'gateway-engine.service']) {
      const [credential] = settings(unit, 'LoadCredential').filter((one) => one.startsWith(`${name}:`))
      assert.equal(credential, `${name}:/etc/gateway/secrets/${name}`, unit)
    }
  })
}

const secrets = sections.flatMap(({ variables }) =>
  Object.entries(variables).flatMap(([name, { secret }]) => (secret ? [name] : [])),
)

test('each process gets only its own secrets from .env', () => {
  assert.ok(secrets.length >= 5)
  for (const unit of ['gateway-terminator.service', 'gateway-engine.service', 'gateway-proxy.service']) {
    assert.ok(settings(unit, 'EnvironmentFile').some((file) => file.endsWith('/etc/gateway/.env')))
    assert.deepEqual(settings(unit, 'UnsetEnvironment').toSorted(), secrets.toSorted(), unit)
  }
})

test('the jobs of timers get no other secret from .env, and back up what portal and engine write', () => {
  // gatewayctl opens the ledger.
  const ofLedger = ['GATEWAY_CAPTIVE_DATABASE_URL', 'GATEWAY_CAPTIVE_DATABASE_PASSWORD']
  const kept: Readonly<Record<string, readonly string[]>> = {
    'gateway-prune.service': ofLedger,
    'gateway-portal-backup.service': ofLedger,
    'gateway-engine-backup.service': [],
    'gateway-alarms.service': [],
  }
  for (const [unit, names] of Object.entries(kept)) {
    const unset = ['NODE_OPTIONS', ...secrets.filter((name) => !names.includes(name))]
    assert.deepEqual(settings(unit, 'UnsetEnvironment').toSorted(), unset.toSorted(), unit)
  }
  for (const name of ['portal', 'engine']) {
    const [service, backup] = [`gateway-${name}.service`, `gateway-${name}-backup.service`]
    for (const setting of ['User', 'Group', 'StateDirectory', 'StateDirectoryMode']) {
      assert.deepEqual(settings(backup, setting), settings(service, setting), `${backup}: ${setting}`)
    }
    const words = settings(backup, 'ExecStart')
    const [folder, path] = words.slice(words.findIndex((word) => word.endsWith('/deploy/backup/archive')) + 3)
    assert.equal(path, 'etc/gateway', backup)
    assert.ok(`${folder}/`.startsWith(`var/lib/${settings(service, 'StateDirectory')[0]}/`), backup)
  }
})

test('terminator and proxy are users of their own, and the keys of the others are out of their reach', () => {
  const all = ['gateway-terminator.service', 'gateway-engine.service', 'gateway-proxy.service'] as const
  const [terminator, engine, proxy] = all
  for (const unit of all) assert.deepEqual(settings(unit, 'User'), [unit.replace('.service', '')])
  assert.deepEqual(settings(engine, 'Group'), settings(terminator, 'Group'))
  assert.deepEqual(settings(proxy, 'Group'), ['gateway-bump'])
  // The group exists before the engine starts, whose sandbox hides it.
  assert.match(SYSUSERS, /^g gateway-bump /m)
  assert.match(SYSUSERS, /^m gateway-proxy gateway-bump$/m)
  assert.ok(settings(proxy, 'After').includes(engine) && settings(engine, 'Before').includes(proxy))
  for (const [unit, other] of [
    [terminator, 'bump'],
    [proxy, 'terminator'],
  ] as const) {
    const inaccessible = settings(unit, 'InaccessiblePaths')
    const keys = ['engine', 'control', other].map((name) => `/var/lib/gateway-engine/${name}`)
    for (const path of [...keys, '/etc/gateway/secrets', '/etc/gateway/.env', '/var/lib/portal']) {
      assert.ok(inaccessible.includes(`-${path}`), `${unit}: ${path}`)
    }
  }
})

test('the files of the others are out of reach for portal and engine, whatever their modes', () => {
  const own: Readonly<Record<string, readonly string[]>> = {
    'gateway-portal.service': ['/var/lib/portal'],
    'gateway-engine.service': ['engine', 'control', 'bump', 'terminator']
      .map((name) => `/var/lib/gateway-engine/${name}`)
      .concat('/etc/gateway/engine'),
  }
  const shared = ['/etc/gateway/secrets', '/etc/gateway/.env']
  for (const unit of Object.keys(own)) {
    const others = Object.keys(own).flatMap((name) => (name === unit ? [] : (own[name] ?? [])))
    const denied = [...others, ...shared].map((path) => `-${path}`)
    assert.deepEqual(settings(unit, 'InaccessiblePaths').toSorted(), denied.toSorted(), unit)
  }
})

test('no other user reaches the shared memory of the proxy, which Squid does not replace', () => {
  assert.deepEqual(settings('gateway-proxy.service', 'TemporaryFileSystem'), ['/dev/shm:mode=1777'])
})

for (const kind of ['lists', 'groups']) {
  test(`the timer updates ${kind} into a folder that the engine may read, as a user who reaches no key`, () => {
    const unit = `gateway-${kind}.service`
    const folder = `/var/lib/gateway-${kind}`
    const words = settings(unit, 'ExecStart')
    assert.equal(words[words.indexOf(`update-${kind}`) + 2], folder)
    assert.deepEqual(settings(unit, 'StateDirectory'), [`gateway-${kind}`])
    assert.deepEqual(settings(unit, 'StateDirectoryMode'), ['0755'])
    assert.deepEqual(settings(unit, 'User'), [`gateway-${kind}`])
    for (const reader of ['gateway-engine.service', unit]) {
      assert.ok(settings(reader, 'ExecStart').includes(`--allow-fs-read=${folder}/*`), reader)
    }
    const written = words.filter((word) => word.startsWith('--allow-fs-write='))
    assert.deepEqual(written, [`--allow-fs-write=${folder}/*`])
    assert.ok(settings('gateway-engine-backup.service', 'ExecStart').includes(folder.slice(1)))
    const inaccessible = settings(unit, 'InaccessiblePaths')
    for (const path of ['/var/lib/gateway-engine', '/var/lib/portal', '/etc/gateway']) {
      assert.ok(inaccessible.includes(`-${path}`), path)
    }
  })
}

test('what deletes by age waits for the clock, if the machine waits for it', () => {
  for (const unit of ['gateway-engine.service', 'gateway-prune.service']) {
    for (const name of ['After', 'Wants']) assert.ok(settings(unit, name).includes('time-sync.target'), unit)
  }
})
