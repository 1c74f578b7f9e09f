import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { loadConfig } from '../../src/portal/settings/config.ts'
import { postgresLocation } from '../support/postgres-server.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { skipUnless } from '../support/requirement.ts'
import { complete, load, problemsOf, SECRET_KEY, SHARED_SECRET } from './load.ts'

const SECRETS = [
  'GATEWAY_CAPTIVE_SHARED_SECRET',
  'GATEWAY_CAPTIVE_SECRET_KEY',
  'GATEWAY_CAPTIVE_DATABASE_URL',
  'GATEWAY_CAPTIVE_DATABASE_PASSWORD',
  'ENGINE_API_TOKEN',
]

function file(context: TestContext, content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'config-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'secret')
  writeFileSync(path, content)
  return path
}

/** A reader of files that do not exist: the path is the content. */
const pathIsContent = (path: string) => Buffer.from(path)

test('secrets are read from files and trimmed', (context) => {
  const { config } = loadConfig({
    GATEWAY_CAPTIVE_SHARED_SECRET_FILE: file(context, `\ufeff${SHARED_SECRET}\r\n`),
    GATEWAY_CAPTIVE_SECRET_KEY_FILE: file(context, `${SECRET_KEY}\n${SHARED_SECRET}\n`),
    GATEWAY_CAPTIVE_DATABASE_URL_FILE: file(context, 'postgresql://u:p@db/portal\n'),
    ENGINE_API_TOKEN_FILE: file(context, 'token\n'),
  })
  assert.equal(config.payload.keyring.sealing.kid, load().config.payload.keyring.sealing.kid)
  assert.deepEqual(config.session.secrets, [SECRET_KEY, SHARED_SECRET])
  assert.deepEqual(config.database, postgresLocation('postgresql://u:p@db/portal'))
  assert.equal(config.engine.apiToken, 'token')
})

test('a secret file of exactly 64 KiB is read', (context) => {
  const path = file(context, SHARED_SECRET.padEnd(64 * 1024, '\n'))
  const { config } = loadConfig({
    GATEWAY_CAPTIVE_SHARED_SECRET_FILE: path,
    GATEWAY_CAPTIVE_SECRET_KEY: SECRET_KEY,
    GATEWAY_CAPTIVE_DATABASE_URL: 'postgresql://u:p@db/portal',
  })
  assert.equal(config.payload.keyring.sealing.kid, load().config.payload.keyring.sealing.kid)
})

test('a rotation: both shared secrets open payloads, the first one seals', () => {
  const { keyring } = load({ GATEWAY_CAPTIVE_SHARED_SECRET: `${SECRET_KEY} ${SHARED_SECRET}` }).config.payload
  assert.equal(keyring.opening.size, 2)
  assert.equal(keyring.opening.keys().next().value, keyring.sealing.kid)
})

for (const name of SECRETS) {
  const fileName = `${name}_FILE`

  test(`${fileName}: not together with ${name}`, (context) => {
    const problems = problemsOf({ [name]: 'another value', [fileName]: file(context, SHARED_SECRET) })
    assert.deepEqual(problems, [
      `${name} must not be set together with ${fileName}; it is now a value that is not shown`,
    ])
  })

  const faults: [string, string | Uint8Array, RegExp][] = [
    ['too long', 'x'.repeat(64 * 1024 + 1), /of at most 64 KiB/],
    ['not UTF-8', Buffer.from([0x61, 0xff, 0xfe]), /in UTF-8/],
    ['empty', ' \n', /not empty/],
  ]
  for (const [fault, content, rule] of faults) {
    test(`${fileName}: a file that is ${fault}`, (context) => {
      const path = file(context, content)
      const problems = problemsOf({ [name]: undefined, [fileName]: path })
      assert.equal(problems.length, 1)
      assert.match(`${problems}`, rule)
      assert.ok(problems[0]?.startsWith(`${fileName} must `) && problems[0].endsWith(`; it is now "${path}"`))
    })
  }

  test(`${fileName}: a content that breaks a rule, with the file's name`, (context) => {
    const path = file(context, 'ö\u0007ö')
    const [problem = '', ...others] = problemsOf({ [name]: undefined, [fileName]: path })
    assert.deepEqual(others, [])
    assert.ok(problem.startsWith(`${fileName}: the content of "${path}" must `), problem)
    assert.ok(problem.endsWith('; it is now a value that is not shown'), problem)
  })

  test(`${fileName}: no file, and a folder`, (context) => {
    const missing = `${file(context, '')}-missing`
    assert.deepEqual(problemsOf({ [name]: undefined, [fileName]: missing }), [
      `${fileName} must name a file that can be read (ENOENT); it is now "${missing}"`,
    ])
    assert.match(`${problemsOf({ [name]: undefined, [fileName]: tmpdir() })}`, /can be read \(EISDIR\)/)
  })
}

test('a password completes a PostgreSQL URL without one, whatever characters it has', () => {
  const password = `%41 p@ss:/?#[]'"ö`
  const database = (url: string) =>
    load({ GATEWAY_CAPTIVE_DATABASE_URL: url, GATEWAY_CAPTIVE_DATABASE_PASSWORD: password }).config.database
  const completed = database('postgresql://portal@db:5432/portal?connect_timeout=3')
  assert.ok(completed.dialect === 'postgres')
  assert.equal(completed.server.password, password)
  const own = 'postgresql://u:own@db/portal'
  assert.deepEqual(database(own), postgresLocation(own))
  assert.deepEqual(database('sqlite:////dev/shm/portal.db'), load().config.database)
})

test('an endless file is not read to its end', { skip: skipUnless(existsSync('/dev/zero'), 'needs /dev/zero') }, () => {
  const changes = { GATEWAY_CAPTIVE_SHARED_SECRET: undefined, GATEWAY_CAPTIVE_SHARED_SECRET_FILE: '/dev/zero' }
  assert.match(`${problemsOf(changes)}`, /at most 64 KiB/)
})

test('in development an unusable key is replaced by a random one, with a warning', () => {
  for (const key of [undefined, 'short']) {
    const changes = { GATEWAY_CAPTIVE_ENV: 'development', GATEWAY_CAPTIVE_SECRET_KEY: key }
    const [first, second] = [load(changes), load(changes)]
    assert.match(first.config.session.secrets[0], /^[\w-]{43}$/)
    assert.notEqual(first.config.session.secrets[0], second.config.session.secrets[0])
    assert.match(
      `${first.warnings}`,
      /^GATEWAY_CAPTIVE_SECRET_KEY must .*; a random key is used until this process ends$/,
    )
  }
})

const hostile = fc
  .oneof(fc.string({ minLength: 12 }), fc.string({ unit: 'binary', minLength: 12 }), fc.base64String({ minLength: 32 }))
  .map((text) => text.trim())
  .filter((text) => text.length >= 12 && !text.includes('\0'))

/** All problems and warnings of a configuration with these changes and one known problem. */
function messages(changes: Record<string, string | undefined>): string {
  const env = { ...complete, GATEWAY_CAPTIVE_ENV: 'development', GATEWAY_CAPTIVE_UNKNOWN: '1', ...changes }
  const shown: string[] = []
  try {
    shown.push(...loadConfig(env, pathIsContent).warnings)
  } catch (error) {
    shown.push((error as Error).message, `${(error as Error).stack}`)
  }
  return shown.join('\n')
}

test('no secret is shown, whichever variable it is in', () => {
  const property = fc.property(hostile, (secret) => {
    const placings = [
      ...SECRETS.flatMap((name) => [
        { [name]: secret },
        { [name]: secret, [`${name}_FILE`]: '/run/secrets/x' },
        { [name]: undefined, [`${name}_FILE`]: `not-a-path-${secret}` },
      ]),
      { GATEWAY_CAPTIVE_DATABASE_URL: `postgresql://u:${secret}@db/portal` },
      { GATEWAY_CAPTIVE_DATABASE_URL: `mysql://u:${secret}@db/portal` },
      { GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:////x?password=${secret}` },
      { GATEWAY_CAPTIVE_UNKNOWN: secret },
      ...['ENGINE_INTERNAL_URL', 'GATEWAY_CAPTIVE_BASE_URL', 'BRAND_COMPANY_URL', 'GATEWAY_CAPTIVE_LISTEN_HOST'].map(
        (name) => ({ [name]: `https://user:${secret}@engine` }),
      ),
    ]
    for (const placing of placings) {
      const shown = messages(placing)
      assert.ok(!shown.includes(secret), shown)
      assert.ok(!messages({ ...placing, GATEWAY_CAPTIVE_LISTEN_PORT: 'x' }).includes(secret), shown)
    }
  })
  fc.assert(property, propertyRuns(40))
})
