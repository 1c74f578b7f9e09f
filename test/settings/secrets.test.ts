// Secrets come from variables or files, and are in no message and not in the summary of a configuration.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { auditEvent } from '../../src/portal/monitoring/audit-events.ts'
import { loadConfig, sections } from '../../src/portal/settings/config.ts'
import { summarise } from '../../src/portal/settings/summary.ts'
import { postgresLocation } from '../support/postgres-server.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { skipUnless } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { complete, load, problemsOf, SECRET_KEY, SHARED_SECRET } from './load.ts'

const VALUES: Readonly<Record<string, string>> = {
  GATEWAY_CAPTIVE_SHARED_SECRET: 'zq-shared-secret-0123456789abcdefghij zq-other-secret-0123456789abcdefghij',
  GATEWAY_CAPTIVE_SECRET_KEY: 'zq-session-secret-0123456789abcdefghij',
  GATEWAY_CAPTIVE_DATABASE_URL:
    'postgresql://zquser:zqpassword@db.example:5433/portal%20db?application_name=zqparameter',
  GATEWAY_CAPTIVE_DATABASE_PASSWORD: 'zqdatabase',
  ENGINE_API_TOKEN: 'zqtoken',
}
const SECRETS = Object.keys(VALUES)

function file(context: TestContext, content: string | Uint8Array): string {
  const path = join(temporaryFolder(context), 'secret')
  writeFileSync(path, content)
  return path
}

/** A reader of files that do not exist: the path is the content. */
const pathIsContent = (path: string) => Buffer.from(path)

test('secrets are read from files of up to 64 KiB, and trimmed', (context) => {
  const { config } = loadConfig({
    GATEWAY_CAPTIVE_SHARED_SECRET_FILE: file(context, `\ufeff${SHARED_SECRET}`.padEnd(64 * 1024 - 2, '\r\n')),
    GATEWAY_CAPTIVE_SECRET_KEY_FILE: file(context, `${SECRET_KEY}\n${SHARED_SECRET}\n`),
    GATEWAY_CAPTIVE_DATABASE_URL_FILE: file(context, 'postgresql://u:p@db/portal\n'),
    ENGINE_API_TOKEN_FILE: file(context, 'token\n'),
  })
  assert.equal(config.payload.keyring.sealing.kid, load().config.payload.keyring.sealing.kid)
  assert.deepEqual(config.session.secrets, [SECRET_KEY, SHARED_SECRET])
  assert.deepEqual(config.database, postgresLocation('postgresql://u:p@db/portal'))
  assert.equal(config.engine.apiToken, 'token')
})

test('a rotation: both shared secrets open payloads, the first one seals', () => {
  const { keyring } = load({ GATEWAY_CAPTIVE_SHARED_SECRET: `${SECRET_KEY} ${SHARED_SECRET}` }).config.payload
  assert.equal(keyring.opening.size, 2)
  assert.equal(keyring.opening.keys().next().value, keyring.sealing.kid)
})

for (const name of SECRETS) {
  test(`${name}: of its file, each problem names the file and shows no content`, (context) => {
    const fileName = `${name}_FILE`
    const problemOf = (path: string, value?: string) => {
      const [problem = '', ...more] = problemsOf({ [name]: value, [fileName]: path })
      assert.deepEqual(more, [])
      return problem
    }
    assert.equal(
      problemOf(file(context, SHARED_SECRET), 'another value'),
      `${name} must not be set together with ${fileName}; it is now a value that is not shown`,
    )
    for (const [content, rule] of [
      ['x'.repeat(64 * 1024 + 1), /of at most 64 KiB/],
      [Buffer.from([0x61, 0xff, 0xfe]), /in UTF-8/],
      [' \n', /not empty/],
    ] as const) {
      const path = file(context, content)
      assert.match(problemOf(path), rule)
      assert.ok(problemOf(path).startsWith(`${fileName} must `) && problemOf(path).endsWith(`; it is now "${path}"`))
    }
    const broken = file(context, 'ö\u0007ö')
    assert.ok(problemOf(broken).startsWith(`${fileName}: the content of "${broken}" must `))
    assert.ok(problemOf(broken).endsWith('; it is now a value that is not shown'))
    const missing = `${broken}-missing`
    assert.equal(problemOf(missing), `${fileName} must name a file that can be read (ENOENT); it is now "${missing}"`)
    assert.match(problemOf(tmpdir()), /can be read \(EISDIR\)/)
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

test('the summary contains no secret, in any encoding', () => {
  const secret = sections.flatMap(({ variables }) =>
    Object.entries(variables).flatMap(([name, variable]) => (variable.secret ? [name] : [])),
  )
  assert.deepEqual(secret.toSorted(), SECRETS.toSorted())
  const summary = summarise(load(VALUES).config)
  assert.doesNotMatch(JSON.stringify(summary), /zq/)
  const server = { dialect: 'postgres', host: 'db.example:5433', name: 'portal db', tls: 'none' }
  assert.deepEqual(summary.database, server)
  const line = { level: 30, time: '2026-11-20T08:00:00.000Z', event: 'start', configuration: summary, msg: 'starting' }
  auditEvent.parse(JSON.parse(JSON.stringify(line)))
  assert.deepEqual([summary.engine.apiToken, summary.session.secrets], [true, 1])
  const { keyring } = load(VALUES).config.payload
  assert.deepEqual(summary.payload.keys, [...keyring.opening.keys()])
  assert.equal(summary.payload.keys[0], keyring.sealing.kid)
})

test('in the summary, addresses and paths are text', () => {
  const changes = {
    GATEWAY_CAPTIVE_SUPPORT_URL: 'mailto:help@a.example?subject={rule}',
    GATEWAY_CAPTIVE_BRAND_LOGO: '/l',
  }
  const logo = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  const { brand, engine } = summarise(load(changes, () => logo).config)
  assert.deepEqual(
    [brand.supportUrl, brand.logo, engine.url],
    ['mailto:help@a.example?subject={rule}', resolve('/l'), 'https://engine:11225'],
  )
})
