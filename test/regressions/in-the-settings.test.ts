// Stories of settings: addresses, databases and .env; each suite is one.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { checkDatabase } from '../../src/database/check.ts'
import { parseEnvFile, withVariable } from '../../src/gatewayctl/deployment/env-file.ts'
import { LEDGER_SCHEMA } from '../../src/ledger/migrations.ts'
import { loadDatabase } from '../../src/settings/sections/database.ts'
import { loadSettings, NO_OPTIONS, policy } from '../engine/running-engine.ts'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { load, problemsOf } from '../settings/load.ts'
import { freePort } from '../support/free-port.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { postgresLocation } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Variables = Readonly<Record<string, string>>

const address = (changes: Variables) => load(changes).config.publicAddress.baseUrl

// With GATEWAY_CAPTIVE_HOSTNAME set and GATEWAY_CAPTIVE_BASE_URL unset, the portal redirected to https://localhost and
// printed that address on the certificate page, since the first version. The default now follows the host name and the
// https port, and a port that contradicts the base URL is a warning at start.
describe('a host name alone left the base URL at localhost', () => {
  test('an unset base URL is https, the host name, and the https port unless it is 443', () => {
    for (const [changes, expected] of [
      [{}, 'https://localhost'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: 'Portal.example' }, 'https://portal.example'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: 'a.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }, 'https://a.example:8443'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: '192.0.2.7', GATEWAY_CAPTIVE_BASE_URL: ' ' }, 'https://192.0.2.7'],
      [{ GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }, 'https://[2001:db8::7]:8443'],
      // The http port does not affect it.
      [{ GATEWAY_CAPTIVE_HTTP_PORT: '8080' }, 'https://localhost'],
      // Control: one that is set was always used unchanged.
      [
        { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
        'https://localhost:8443',
      ],
      // Control: a plain-http portal on loopback has no terminator: its port contradicts nothing.
      [{ GATEWAY_CAPTIVE_BASE_URL: 'http://localhost:8000' }, 'http://localhost:8000'],
    ] as const) {
      assert.equal(address(changes), expected)
      assert.deepEqual(load(changes).warnings, [], expected)
    }
  })
  test('a port that contradicts the base URL is one warning that names both', () => {
    const plain = { GATEWAY_CAPTIVE_BASE_URL: 'http://portal.example', GATEWAY_CAPTIVE_HOSTNAME: 'portal.example' }
    for (const [changes, expected] of [
      [{ GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443' }, 'port 8443, but GATEWAY_CAPTIVE_HTTPS_PORT is 443'],
      [
        { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
        'port 443, but GATEWAY_CAPTIVE_HTTPS_PORT is 8443',
      ],
      [{ ...plain, GATEWAY_CAPTIVE_HTTP_PORT: '8080' }, 'port 80, but GATEWAY_CAPTIVE_HTTP_PORT is 8080'],
    ] as const) {
      const warned = load(changes).warnings.filter((warning) => warning.includes(' names port '))
      assert.deepEqual(warned, [`GATEWAY_CAPTIVE_BASE_URL names ${expected}`])
    }
  })
})

// Without GATEWAY_CAPTIVE_BASE_URL the portal derived its address from the host name and the https port, but the
// compose file and the systemd unit passed an empty base URL to the engine, which did not start; since the
// portal derives its address. The engine now derives it from the same values.
describe('the engine and the portal had different base URLs', () => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

  /** The environment in which each deployment starts the engine. */
  const DEPLOYMENTS: Readonly<Record<string, (variables: Variables) => Variables>> = {
    'the compose file'(variables) {
      const { services } = parse(read('deploy/compose.yaml'), { merge: true })
      const expand = (text: string) =>
        text.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name, otherwise) => variables[name] || otherwise)
      const environment: Variables = services.engine.environment
      return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, expand(text)]))
    },
    'the systemd unit'(variables) {
      const lines = read('deploy/systemd/gateway-engine.service').match(/(?<=^Environment=).*/gm) ?? []
      const defaults = lines.flatMap((line) => line.split(' ').map((one) => one.split(/=(.*)/s, 2)))
      return { ...Object.fromEntries(defaults), ...variables }
    },
  }
  for (const [name, environmentOf] of Object.entries(DEPLOYMENTS)) {
    test(`${name}: the engine redirects to the portal’s own address`, () => {
      for (const variables of [
        {},
        { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
        { GATEWAY_CAPTIVE_HOSTNAME: '2001:db8::7', GATEWAY_CAPTIVE_BASE_URL: '' },
        // Control: it was always passed on.
        { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:444' },
      ]) {
        const options = { ...NO_OPTIONS, env: environmentOf(variables) }
        const { portal } = loadSettings(options, () => Buffer.from(policy('')))
        assert.equal(portal.baseUrl, address(variables))
      }
    })
  }
})

// `?ssl=require`, which asyncpg documents, in the URL of a PostgreSQL database ended portal, engine, `--check` and gatewayctl with
// a TypeError: the driver took the text for an object. Other parameters were ignored or had another meaning than elsewhere:
// `sslmode=bogus` was accepted, `sslmode=require` verified the certificate, and the remedy of its error was an option of Node.
// `postgresql://u:p@/db?host=/run/postgresql` was rejected. Since the first version with PostgreSQL.
describe('a database URL ended every program', () => {
  const REFUSED = /no server accepts connections at this address \(ECONNREFUSED\)/

  test('with ?ssl=require, --check, gatewayctl and the engine say what is wrong with the connection', async (t) => {
    const url = `postgresql://u:p@127.0.0.1:${await freePort()}/d?ssl=require`
    const env = { GATEWAY_CAPTIVE_DATABASE_URL: url }
    const portal = startPortalProcess(t, env, [], undefined, ['--check'])
    assert.equal(await portal.ended, 2)
    assert.match(portal.errors(), REFUSED)
    assert.doesNotMatch(portal.errors(), /TypeError|node_modules|connect ECONN/)
    const { status, stderr } = await gatewayctl(['portal', 'acceptances', 'list', '--database-url', url])
    assert.equal(status, 1)
    assert.match(stderr, REFUSED)
    assert.match(`${(await checkDatabase(loadDatabase(env), LEDGER_SCHEMA)).fault}`, REFUSED)
  })

  test('an unknown value is rejected, also by the options of gatewayctl', async () => {
    const url = 'postgresql://u@db/d?sslmode=bogus'
    const rule = /must have disable, require, verify-ca or verify-full as sslmode; it has "bogus"/
    assert.match(`${problemsOf({ GATEWAY_CAPTIVE_DATABASE_URL: url })}`, rule)
    for (const [name, verb] of [
      ['--database-url', ['list']],
      ['--to-database-url', ['copy', '--database-url', 'sqlite:////nowhere']],
    ] as const) {
      const { status, stderr } = await gatewayctl(['portal', 'acceptances', ...verb, name, url])
      assert.equal(status, 2)
      assert.match(stderr, new RegExp(`${name} ${rule.source}`))
    }
  })

  test('the folder of a socket, with a user and a password; control: sslmode=verify-full', () => {
    for (const url of ['postgresql://u:p@/db?host=/run/postgresql', 'postgresql://u:p@db/d?sslmode=verify-full']) {
      assert.deepEqual(load({ GATEWAY_CAPTIVE_DATABASE_URL: url }).config.database, postgresLocation(url))
    }
  })
})

// Seen: `.env` is read by compose, by systemd and by gatewayctl, and `X="say \"hi\""`, `X=a\b`, `X=$NAME`, `X=${NAME:-x}`,
// `X=a$$b`, `export X=…`, a comment after a value, or a byte order mark had a different value in each; the portal ran with one, and
// gatewayctl reported another. Since gatewayctl reads `.env`. What the programs make of each file was recorded from them.
describe('one .env file had three values', () => {
  /** A file, and what compose, docker-compose 1 and systemd read in it. */
  type Recorded = readonly [file: string | { readonly base64: string }, Seen, Seen, Seen]
  type Seen = 'error' | readonly [x: string | null, y: string | null]

  const { cases } = JSON.parse(readFileSync(new URL('../gatewayctl/env-files.json', import.meta.url), 'utf8')) as {
    readonly cases: Readonly<Record<string, Recorded>>
  }
  const bytesOf = ([file]: Recorded) =>
    typeof file === 'string' ? Buffer.from(file) : Buffer.from(file.base64, 'base64')

  test('each file has one value in all programs, or a problem that names the line and no value', () => {
    let accepted = 0
    for (const [name, recorded] of Object.entries(cases)) {
      const { values, problems } = parseEnvFile(bytesOf(recorded))
      if (problems.length > 0) {
        for (const problem of problems) assert.match(problem, /^[12]: .{20,}$/, name)
        continue
      }
      accepted++
      const [, ...seen] = recorded
      for (const one of seen) assert.deepEqual([values.X ?? null, values.Y ?? null], one, name)
    }
    assert.equal(accepted, 43)
  })

  test('each problem says what to write, and that is accepted', () => {
    for (const [line, says, instead] of [
      ['export A=b', /^1: systemd ignores a line with export: write A=…$/, 'A=b'],
      ['A=b # note', /^1: A: not every program reads a comment after a value: put it on its own line/, '# note\nA=b'],
      ['A="b" # note', /^1: A: nothing may follow the closing quote: put a comment on its own line$/, '# note\nA="b"'],
      ['A=a\\b', /^1: A: systemd removes the backslash: put the value in single quotes$/, "A='a\\b'"],
      ['A="a\\nb"', /^1: A: .* use single quotes, or write \\\\ for a backslash$/, 'A="a\\\\nb"'],
      ["A='a\\\\b'", /^1: A: .* use double quotes, and write \\\\ for a backslash$/, 'A="a\\\\\\\\b"'],
      ['A=pa$word', /^1: A: compose replaces \$NAME and \$\$, .* in single quotes$/, "A='pa$word'"],
      ['A=a$$b', /^1: A: compose replaces \$NAME and \$\$, .* in single quotes$/, "A='a$$b'"],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own text.
      ['A=${B:-c}', /^1: A: compose replaces \$ and a name in braces, .*: write the value itself$/, 'A=c'],
      ['A="b', /^1: A: the closing " must be on the same line$/, 'A="b"'],
      ['; note', /^1: must be NAME=value, or a comment that begins with #$/, '# note'],
      ['A B=c', /^1: must be NAME=value, with a name of letters, digits and underscores$/, 'A_B=c'],
      [
        '# note \\',
        /^1: the comment ends in a backslash, which hides the next line from systemd: remove it$/,
        '# note',
      ],
      ['A=b\u00a0', /^1: A: begins or ends with a space that only some programs remove: remove it$/, 'A=b'],
      ['\uFEFFA=b', /^1: begins with a byte order mark, .*: save the file without it$/, 'A=b'],
    ] as const) {
      const problems = (text: string) => parseEnvFile(Buffer.from(`${text}\n`)).problems
      assert.match(problems(line).join('\n'), says, line)
      assert.deepEqual(problems(instead), [], instead)
    }
    assert.deepEqual(parseEnvFile(Buffer.from('A=b\n', 'utf16le')).problems.length > 0, true)
  })

  test('gatewayctl stops with all of them, and prints no value', async (t) => {
    const home = temporaryFolder(t)
    const path = join(home, '.env')
    writeFileSync(path, 'A=b\nENGINE_API_TOKEN=s3cret$word # note\nexport GATEWAY_ORG_NAME=s3cret\n')
    const { status, stdout, stderr } = await gatewayctl(['portal', 'pac', '--proxy', '192.0.2.1:3128'], {
      env: { GATEWAY_HOME: home },
    })
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, new RegExp(`${path}:2: ENGINE_API_TOKEN: .*\n${path}:3: systemd ignores`))
    assert.doesNotMatch(stderr, /s3cret/)
  })

  test('control: the shipped files have no problem, and a variable is set in its place', () => {
    for (const shipped of ['deploy/.env.example', 'deploy/debian/env', 'deploy/swarm/portal.env.example']) {
      const text = readFileSync(new URL(`../../${shipped}`, import.meta.url), 'utf8')
      assert.deepEqual(parseEnvFile(Buffer.from(text)).problems, [], shipped)
      // As someone uncomments a line.
      assert.deepEqual(parseEnvFile(Buffer.from(text.replace(/^#(?=[A-Z])/gm, ''))).problems, [], shipped)
    }
    for (const [text, expected] of [
      ['A=1\r\nB=2\r\n', 'A=true\r\nB=2\r\n'],
      ['A="1"\nA = \'2\'\nB=3', 'A="1"\nA = true\nB=3'],
      ['B=2', 'B=2\nA=true\n'],
    ] as const) {
      assert.equal(withVariable(text, 'A', 'true'), expected)
    }
  })
})
