// What each value of `sslmode` verifies, on a real server, over TCP and a Unix socket; and that faults are in our words.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../src/database/database.ts'
import { describeFault } from '../../src/database/fault.ts'
import { generatePrivateKey, issueCaCertificate, issueLeafCertificate } from '../../src/engine/certificates/issue.ts'
import { loadDatabase } from '../../src/settings/sections/database.ts'
import { noPostgres, type PostgresServer, queryPostgres, startPostgres } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

describe('PostgreSQL with a certificate', { skip: noPostgres, timeout: 60_000 }, () => {
  let server: PostgresServer
  after(() => server?.remove())
  const folder = temporaryFolder({ after })
  let port = ''
  let password = ''

  before(async () => {
    // Another user's server creates its socket here.
    chmodSync(folder, 0o777)
    server = await startPostgres({ fsync: 'off', unix_socket_directories: folder })
    const url = new URL(server.url)
    port = url.port
    password = url.password
    await useCertificate('localhost')
  })

  /** Issues the server's certificate, for this name; `ca.crt` has its CA, `other.crt` another one. */
  async function useCertificate(name: string) {
    const now = Date.now()
    const [caKey, otherKey, key] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
    const ca = { key: caKey, certificate: await issueCaCertificate(caKey, 'Database', now) }
    writeFileSync(join(folder, 'ca.crt'), ca.certificate)
    writeFileSync(join(folder, 'other.crt'), await issueCaCertificate(otherKey, 'Other', now))
    const files = {
      'server.crt': await issueLeafCertificate(ca, key, [name], now),
      'server.key': String(key.export({ type: 'pkcs8', format: 'pem' })),
    }
    for (const [file, text] of Object.entries(files)) {
      const hex = Buffer.from(text).toString('hex')
      await queryPostgres(
        server.url,
        `select lo_from_bytea(99999, '\\x${hex}'); select lo_export(99999, '${file}'); select lo_unlink(99999)`,
      )
      await queryPostgres(server.url, `copy (select 1) to program 'chmod 600 ${file}'`)
    }
    await reload('on')
  }

  /** Resolves when new connections get this configuration: the server reloads it some time after the request. */
  async function reload(ssl: 'on' | 'off') {
    // It only marks the configuration.
    const prefix = `reload ${randomUUID()}`
    await queryPostgres(server.url, `alter system set ssl = ${ssl}`)
    await queryPostgres(server.url, `alter system set log_line_prefix = '${prefix}'`)
    await queryPostgres(server.url, 'select pg_reload_conf()')
    await until(async () => {
      const [row] = await queryPostgres(server.url, 'show log_line_prefix')
      return row?.log_line_prefix === prefix
    })
  }

  /** Whether the connection is encrypted; or why there is none. */
  async function encrypted(
    host: string,
    query: string,
    credentials = `postgres:${password}`,
  ): Promise<boolean | string> {
    const url = `postgresql+asyncpg://${credentials}@${host}${host === '' ? '' : `:${port}`}/postgres?${query}`
    const db = connect(loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL: url }), { milliseconds: 5_000 })
    try {
      const { rows } = await sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
      return rows[0]?.ssl ?? 'no row'
    } catch (error) {
      return describeFault(error)
    } finally {
      await db.destroy().catch(() => {})
    }
  }

  const ca = (file = 'ca.crt') => `sslrootcert=${join(folder, file)}`
  const OTHER_CA = /not from a trusted CA.*sslrootcert/

  test('no TLS without a parameter and with disable, TLS with require', async () => {
    assert.equal(await encrypted('localhost', ''), false)
    assert.equal(await encrypted('localhost', 'sslmode=disable'), false)
    assert.equal(await encrypted('localhost', 'ssl=require'), true)
    assert.equal(await encrypted('127.0.0.1', 'sslmode=require'), true)
  })
  test('verify-ca: a certificate of this CA, whatever its name', async () => {
    assert.equal(await encrypted('127.0.0.1', `sslmode=verify-ca&${ca()}`), true)
    assert.equal(await encrypted('127.0.0.1', `sslmode=require&${ca()}`), true)
    for (const mode of ['verify-ca', 'require']) {
      assert.match(`${await encrypted('localhost', `sslmode=${mode}&${ca('other.crt')}`)}`, OTHER_CA)
    }
  })
  test('verify-full: a certificate of this CA, for this name', async () => {
    assert.equal(await encrypted('localhost', `sslmode=verify-full&${ca()}`), true)
    assert.equal(await encrypted('localhost', `ssl=true&${ca()}`), true)
    assert.match(`${await encrypted('127.0.0.1', `sslmode=verify-full&${ca()}`)}`, /lacks the host name/)
    for (const roots of ['', '&sslrootcert=system']) {
      assert.match(
        `${await encrypted('localhost', `sslmode=verify-full${roots}`)}`,
        /name the CA's file as sslrootcert/,
      )
    }
  })
  test('even if the environment turns verification, or TLS, off', async (t) => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    process.env.PGSSLMODE = 'disable'
    t.after(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      delete process.env.PGSSLMODE
    })
    assert.match(`${await encrypted('localhost', `sslmode=verify-full&${ca('other.crt')}`)}`, OTHER_CA)
  })
  test('a Unix socket, by parameter and in the place of the host', async () => {
    assert.equal(await encrypted('', `host=${folder}&port=${port}`), false)
    assert.equal(await encrypted(encodeURIComponent(folder), 'sslmode=require'), false)
    assert.match(`${await encrypted('', `host=${folder}&port=1`)}`, /no such file, folder or socket \(ENOENT\)/)
  })
  test('application name and options reach the server', async () => {
    const query = `application_name=a%20b&options=-c%20search_path%3Dzq`
    const location = loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL: `${server.url}?${query}` })
    const db = connect(location, { milliseconds: 5_000 })
    const settings = sql`select current_setting('application_name') as name, current_setting('search_path') as path`
    const { rows } = await settings.execute(db).finally(() => db.destroy())
    assert.deepEqual(rows, [{ name: 'a b', path: 'zq' }])
  })
  test('faults are in our words', async () => {
    const junk = join(folder, 'junk.crt')
    writeFileSync(junk, 'junk')
    const faults: readonly [query: string, words: RegExp, credentials?: string][] = [
      ['', /^the password is wrong, or there is no such user \(28P01\)$/, 'postgres:zq'],
      ['', /^the server asks for a password, and the URL has none$/, 'postgres'],
      [`sslmode=verify-full&${ca('none')}`, /^the file \S+none of sslrootcert in its URL cannot be read \(ENOENT\)$/],
      [
        `sslmode=require&sslcert=${junk}&sslkey=${junk}`,
        /^a file of sslrootcert, .* is not usable PEM \(ERR_OSSL_\w+\)$/,
      ],
      [`sslmode=verify-full&sslrootcert=${junk}`, /trusted CA|usable PEM/],
    ]
    for (const [query, words, credentials] of faults) {
      assert.match(`${await encrypted('localhost', query, credentials)}`, words)
    }
    await reload('off')
    assert.match(
      `${await encrypted('localhost', 'sslmode=require')}`,
      /^the server has no TLS: turn it on there, or write/,
    )
  })
})
