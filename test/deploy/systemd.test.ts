// The units for an installation without containers: systemd understands every line and finds them hardened.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sections } from '../../src/config/config.ts'
import { newSecret } from '../../src/gatewayctl/secret/generate.ts'
import { freePort } from '../support/free-port.ts'
import { hasCommand, skipUnless } from '../support/requirement.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { ask } from '../terminator/client.ts'
import { analyze, FOLDER, read, skip } from './units.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Where the units say that the portal lies. */
const INSTALLED = '/opt/gateway-captive-portal'
const MOST_EXPOSURE = 2

const units = readdirSync(FOLDER).filter((name) => name.endsWith('.service'))

test(`each unit's exposure is below ${MOST_EXPOSURE}`, { skip }, (t) => {
  assert.equal(units.length, 3)
  for (const unit of units) {
    const { stdout, stderr } = analyze('security', '--offline=true', join(FOLDER, unit))
    const [, level] = /Overall exposure level for \S+: (\d+\.\d) /.exec(stdout) ?? assert.fail(stderr)
    t.diagnostic(`${unit}: ${level}`)
    assert.ok(Number(level) < MOST_EXPOSURE, `${unit}: ${level}`)
  }
})

test('systemd understands every line, and what is started is there', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'units-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const installed = join(folder, 'installed')
  mkdirSync(join(installed, 'bin'), { recursive: true })
  symlinkSync(process.execPath, join(installed, 'bin', 'node'))
  for (const name of ['src', 'deploy', 'docs']) symlinkSync(join(ROOT, name), join(installed, name))
  let scripts = 0
  for (const unit of units) {
    const path = join(folder, unit)
    writeFileSync(path, read(unit).replaceAll(INSTALLED, installed))
    chmodSync(path, 0o644)
    const { stdout, stderr } = analyze('verify', '--man=no', path)
    const complaints = (stdout + stderr).split('\n').filter((line) => line.includes(unit))
    assert.deepEqual(complaints, [])
    for (const [, script] of read(unit).matchAll(/^ExecStart=\S+ (src\/\S+)/gm)) {
      assert.ok(readFileSync(join(ROOT, `${script}`)).length > 0)
      scripts++
    }
  }
  assert.ok(scripts > 0, 'no unit starts a program of ours')
})

/** The words of a unit's settings of this name. */
const settings = (unit: string, name: string) =>
  Array.from(read(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value.split(' ')).flat()

test('secrets come as credentials alone, and the users are the ones that are made', () => {
  const users = readFileSync(join(FOLDER, 'gateway.sysusers'), 'utf8')
    .match(/^u (\S+)/gm)
    ?.map((line) => line.slice(2))
  let secrets = 0
  for (const unit of units) {
    const [user = '', group = ''] = ['User', 'Group'].flatMap((name) => settings(unit, name))
    assert.ok(users?.includes(user) && users.includes(group), unit)
    const files = [...read(unit).matchAll(/(?:_FILE=|--secret-file |--api-token-file )(\S+)/g)].map(([, file]) => file)
    const credentials = settings(unit, 'LoadCredential').map((credential) => `%d/${credential.split(':', 1)[0]}`)
    assert.deepEqual(files.toSorted(), credentials.toSorted(), unit)
    secrets += files.length
  }
  assert.ok(secrets > 0, 'no unit has a secret')
})

test('the portal sends the API token, and the engine demands it', () => {
  assert.ok(settings('gateway-portal.service', 'Environment').includes('ENGINE_API_TOKEN_FILE=%d/engine-api-token'))
  assert.match(read('gateway-reference-engine.service'), / --api-token-file %d\/engine-api-token$/m)
  for (const unit of ['gateway-portal.service', 'gateway-reference-engine.service']) {
    const [credential] = settings(unit, 'LoadCredential').filter((one) => one.startsWith('engine-api-token:'))
    assert.equal(credential, 'engine-api-token:/etc/gateway/secrets/engine-api-token', unit)
  }
})

test('of the secrets in .env each process has only its own', () => {
  const secrets = sections.flatMap(({ variables }) =>
    Object.entries(variables).flatMap(([name, { secret }]) => (secret ? [name] : [])),
  )
  assert.ok(secrets.length >= 5)
  for (const unit of ['gateway-terminator.service', 'gateway-reference-engine.service']) {
    assert.ok(settings(unit, 'EnvironmentFile').some((file) => file.endsWith('/etc/gateway/.env')))
    assert.deepEqual(settings(unit, 'UnsetEnvironment').toSorted(), secrets.toSorted(), unit)
  }
})

test('the terminator is a user of its own, and the keys of the engine are out of its reach', () => {
  const [terminator, engine] = ['gateway-terminator.service', 'gateway-reference-engine.service'] as const
  assert.deepEqual(settings(terminator, 'User'), ['gateway-terminator'])
  assert.deepEqual(settings(engine, 'User'), ['gateway-engine'])
  assert.deepEqual(settings(engine, 'Group'), settings(terminator, 'Group'))
  const inaccessible = settings(terminator, 'InaccessiblePaths')
  for (const path of [
    '/var/lib/gateway-engine/engine',
    '/etc/gateway/secrets',
    '/etc/gateway/.env',
    '/var/lib/portal',
  ]) {
    assert.ok(inaccessible.includes(`-${path}`), path)
  }
})

describe('engine and terminator, as the users of their units', {
  skip: skipUnless(process.getuid?.() === 0 && hasCommand('setpriv'), 'needs root and setpriv') || skipWithoutNginx,
}, () => {
  // Numbers that no account of the machine has.
  const IDS: Readonly<Record<string, number>> = { 'gateway-engine': 63_801, 'gateway-terminator': 63_802 }
  const as = (unit: string, words: readonly string[]): readonly string[] => {
    const [user, group] = ['User', 'Group'].map((name) => IDS[settings(unit, name)[0] ?? ''] ?? assert.fail(name))
    return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--no-new-privs', ...words]
  }
  const [ENGINE, TERMINATOR] = ['gateway-reference-engine.service', 'gateway-terminator.service'] as const

  test('the terminator serves, reads portal.key, and cannot read a key of the CA', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'units-users-'))
    t.after(() => rmSync(folder, { recursive: true }))
    chmodSync(folder, 0o755)
    const [state, run, secrets] = ['gateway-engine', 'run', 'secrets'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const name of [state, run, secrets]) mkdirSync(name)
    chmodSync(state, 0o755)
    chownSync(state, IDS['gateway-engine'] as number, IDS['gateway-terminator'] as number)
    chmodSync(run, 0o700)
    chownSync(run, IDS['gateway-terminator'] as number, IDS['gateway-terminator'] as number)
    for (const name of ['shared-secret', 'engine-api-token']) {
      writeFileSync(join(secrets, name), newSecret(), { mode: 0o400 })
      chownSync(join(secrets, name), IDS['gateway-engine'] as number, 0)
    }
    const [http, https] = [await freePort(), await freePort()]
    const dotEnv = {
      GATEWAY_CAPTIVE_HOSTNAME: 'localhost',
      GATEWAY_CAPTIVE_BASE_URL: `https://localhost:${https}`,
      GATEWAY_CAPTIVE_HTTP_PORT: `127.0.0.1:${http}`,
      GATEWAY_CAPTIVE_HTTPS_PORT: `127.0.0.1:${https}`,
      GATEWAY_ORG_NAME: 'Schulhaus Süd & Co',
    }
    const values: Readonly<Record<string, string>> = { ...dotEnv, '/var/lib/gateway-engine': state, '%d': secrets }
    // As systemd does: a variable in braces is one word, spaces and all.
    const [, ...args] = settings(ENGINE, 'ExecStart').map((word) =>
      word.replace(/\$\{(\w+)\}|%d|\/var\/lib\/gateway-engine/g, (found, name) => values[name ?? found] ?? ''),
    )
    const [program = '', ...words] = as(ENGINE, [process.execPath, ...args, '--listen', '127.0.0.1:0'])
    const engine = spawn(program, words, { cwd: ROOT, env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => engine.kill('SIGKILL'))
    const [said] = await Promise.race([once(engine.stdout, 'data'), once(engine, 'close')])
    assert.match(`${said}`, /listening on/)

    const [cat = '', ...asTerminator] = as(TERMINATOR, ['cat'])
    const reads = (name: string) => spawnSync(cat, [...asTerminator, join(state, name)]).status === 0
    assert.deepEqual(['terminator/portal.key', 'terminator/portal.crt', 'ca/ca.crt', 'engine/ca.key'].map(reads), [
      true,
      true,
      true,
      false,
    ])
    const ca = readFileSync(join(state, 'ca/ca.crt'), 'utf8')
    assert.equal(new X509Certificate(ca).toLegacyObject().subject.O, 'Schulhaus Süd & Co')

    const portal = createServer((_, response) => response.end('the portal')).listen(0, '127.0.0.1')
    await once(portal, 'listening')
    t.after(() => portal.close())
    const [start = '', ...startWords] = as(TERMINATOR, [join(ROOT, 'deploy/terminator/start')])
    const terminator = spawn(start, startWords, {
      env: {
        PATH: process.env.PATH,
        ...dotEnv,
        TERMINATOR_PORTAL: `127.0.0.1:${(portal.address() as AddressInfo).port}`,
        TERMINATOR_LEAF: join(state, 'terminator'),
        TERMINATOR_RUN: run,
      },
      stdio: 'ignore',
    })
    const ended = once(terminator, 'close')
    t.after(async () => {
      terminator.kill('SIGTERM')
      await ended
    })
    // On the ports of .env, which no TERMINATOR_ variable repeats.
    for (const [origin, options] of [
      [`http://127.0.0.1:${http}`, {}],
      [`https://127.0.0.1:${https}`, { ca, servername: 'localhost' }],
    ] as const) {
      await until(() =>
        ask(origin, '/').then(
          () => true,
          (error: NodeJS.ErrnoException) => error.code !== 'ECONNREFUSED',
        ),
      )
      assert.equal((await ask(origin, '/', options)).body, 'the portal', origin)
    }
  })
})
