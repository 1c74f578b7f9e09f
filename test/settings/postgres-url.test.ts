// What each parameter of a PostgreSQL URL means, and that every other one is rejected by its name.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { transportNotice } from '../../src/settings/sections/database.ts'
import { type PostgresServer, parsePostgresUrl } from '../../src/settings/sections/postgres-url.ts'
import { load, problemsOf } from './load.ts'

const read: readonly [url: string, expected: Partial<PostgresServer>][] = [
  ['postgresql://u:p@db/d', { host: 'db', port: 5432, user: 'u', password: 'p', database: 'd', tls: 'none' }],
  ['POSTGRES://DB:1/D', { host: 'db', port: 1, user: undefined, password: undefined, database: 'D' }],
  ['postgresql+asyncpg://u:p%40%2F%3a%25@db/d%20e', { password: 'p@/:%', database: 'd e' }],
  ['postgresql://u:a@b:c@db/d', { user: 'u', password: 'a@b:c', host: 'db' }],
  ['postgresql://u@[fe80::1%25eth0]:5433/d', { host: 'fe80::1%eth0', port: 5433 }],
  ['postgresql:///d', { host: 'localhost', port: 5432 }],
  ['postgresql://u:p@/d?host=/run/postgresql', { host: '/run/postgresql', user: 'u', password: 'p' }],
  ['postgresql://u@%2Frun%2Fpostgresql/d', { host: '/run/postgresql' }],
  ['postgresql://db:6432/d?host=db&port=6432', { host: 'db', port: 6432 }],
  ['postgresql://db/d?sslmode=disable', { tls: 'none' }],
  ['postgresql://db/d?sslmode=require', { tls: 'unverified' }],
  ['postgresql://db/d?sslmode=require&sslrootcert=/a.pem', { tls: 'authority', rootCertificate: '/a.pem' }],
  ['postgresql://db/d?sslmode=verify-ca&sslrootcert=/a.pem', { tls: 'authority', rootCertificate: '/a.pem' }],
  ['postgresql://db/d?sslmode=verify-full', { tls: 'verified', rootCertificate: undefined }],
  ['postgresql://db/d?sslmode=verify-full&sslrootcert=system', { tls: 'verified', rootCertificate: undefined }],
  ['postgresql://db/d?ssl=true', { tls: 'verified' }],
  ['postgresql://db/d?ssl=0', { tls: 'none' }],
  ['postgresql://db/d?ssl=require&sslmode=require', { tls: 'unverified' }],
  ['postgresql:///d?host=/run&sslmode=verify-full', { tls: 'none' }],
  ['postgresql://db/d?sslmode=require&sslcert=/c&sslkey=/k', { clientCertificate: { certificate: '/c', key: '/k' } }],
  ['postgresql://db/d?connect_timeout=1', { connectTimeout: 1_000 }],
  ['postgresql://db/d?connect_timeout=30', { connectTimeout: 2_000 }],
  ['postgresql://db/d?application_name=a%20b', { applicationName: 'a b' }],
  ['postgresql://db/d?options=-c%20search_path%3Dx', { options: '-c search_path=x' }],
]
for (const [url, expected] of read) {
  test(url, () => {
    const server = parsePostgresUrl(url)
    for (const [member, value] of Object.entries(expected)) {
      assert.deepEqual(server[member as keyof PostgresServer], value, member)
    }
  })
}

const rejected: readonly [query: string, rule: RegExp][] = [
  ['sslmode=bogus', /must have disable, require, verify-ca or verify-full as sslmode; it has "bogus"/],
  ['sslmode=prefer', /it has "prefer", which anyone on the way can turn off/],
  ['ssl=allow', /as ssl; it has "allow"/],
  ['sslmode=true', /as sslmode; it has "true"/],
  ['sslmode=toString', /it has "toString"/],
  ['SSLMODE=require', /it has "SSLMODE": write sslmode/],
  ['sslmode', /a value for the parameter sslmode/],
  ['sslmode=disable&ssl=require', /one of the parameters sslmode and ssl/],
  ['sslmode=require&sslmode=require', /the parameter sslmode once/],
  ['sslmode=verify-ca', /the CA's file as sslrootcert/],
  ['sslmode=verify-ca&sslrootcert=system', /the CA's file as sslrootcert/],
  ['sslrootcert=/a.pem', /write sslmode=verify-full/],
  ['sslmode=require&sslcert=/c', /both of the parameters sslcert and sslkey/],
  ['uselibpqcompat=true', /it has "uselibpqcompat"/],
  ['channel_binding=require', /it has "channel_binding"/],
  ['pgbouncer=true', /no parameters but sslmode, ssl, .* and options after the question mark; it has "pgbouncer"/],
  ['password=zq', /it has "password", which belongs before the question mark/],
  ['__proto__=1', /it has "__proto__"/],
  ['a%0a%22=1', /it has "a\\u\{a\}\\""/],
  ['host=a,b', /must name one host/],
  ['host=other', /one host, before the question mark or after it/],
  ['port=0', /a port from 1 to 65535/],
  ['connect_timeout=0', /seconds from 1 as connect_timeout/],
  ['application_name=%C3%A9', /printable ASCII characters as application_name/],
]
for (const [query, rule] of rejected) {
  test(`rejected by name: ${query}`, () => {
    const [problem = '', ...more] = problemsOf({ GATEWAY_CAPTIVE_DATABASE_URL: `postgresql://u:s3cret@db/d?${query}` })
    assert.deepEqual(more, [])
    assert.match(problem, rule)
    assert.doesNotMatch(problem, /s3cret|zq/)
  })
}

for (const hosts of ['a,b', 'a:1,b:2', '[::1],[::2]', 'a b', 'a%20b', 'db:70000', 'unix:/run/x']) {
  test(`rejected: the host ${hosts}`, () => {
    const url = `postgresql://u:s3cret@${hosts}/d`
    const [problem = ''] = problemsOf({ GATEWAY_CAPTIVE_DATABASE_URL: url })
    assert.match(problem, /one host|must name a host|a port from|percent-encoded/)
    assert.doesNotMatch(problem, /s3cret/)
  })
}

describe('a warning at the start', () => {
  const warningOf = (url: string) => transportNotice({ dialect: 'postgres', server: parsePostgresUrl(url) })
  test('for each connection beyond loopback that is not verified, without user and password', () => {
    for (const [query, weakness] of [
      ['', /to PostgreSQL at db\.example is not encrypted: sslmode=verify-full/],
      ['?application_name=a', /is not encrypted: .*, sslmode=disable says that the network is trusted$/],
      ['?ssl=require', /is encrypted, but the server is not verified/],
      ['?sslmode=verify-ca&sslrootcert=/a', /is encrypted, but the server's name is not verified/],
    ] as const) {
      const url = `postgresql://zq:zq@db.example/d${query}`
      assert.match(`${warningOf(url)}`, weakness)
      assert.doesNotMatch(`${warningOf(url)}`, /zq/)
      assert.deepEqual(load({ GATEWAY_CAPTIVE_DATABASE_URL: url }).warnings, [warningOf(url)])
    }
  })
  test('but not for a verified, local or trusted one', () => {
    for (const url of [
      'postgresql://db/d?sslmode=disable',
      'postgresql://db/d?connect_timeout=1&ssl=false',
      'postgresql://db/d?sslmode=verify-full',
      'postgresql://localhost/d?ssl=require',
      'postgresql://127.0.0.1/d',
      'postgresql://[::1]/d',
      'postgresql:///d',
      'postgresql:///d?host=/run/postgresql',
    ]) {
      assert.equal(warningOf(url), undefined, url)
    }
  })
})
