// The database's URL: one of two dialects, or a problem that does not repeat the value.
import assert from 'node:assert/strict'
import { ConfigProblems } from '../../../src/settings/problems.ts'
import { loadDatabase } from '../../../src/settings/sections/database.ts'
import type { Target } from '../target.ts'

export const databaseUrl: Target = {
  name: 'database-url',
  seeds: [
    'sqlite:////var/lib/portal.db',
    'sqlite://',
    'sqlite:///:memory:',
    'sqlite+pysqlite:///a?b',
    'postgresql://portal:s3%40cr3t@db.example:5432/ledger?sslmode=verify-full',
    'postgresql+psycopg2://u@[::1]/d',
    'postgres://u:p@/d',
    'postgresql://u:p@/d?host=/run/postgresql&application_name=a%20b&ssl=require',
    'mysql://u:p@h/d',
  ],
  tokens: [
    'sqlite',
    'postgresql',
    '+x',
    '://',
    '/',
    ':',
    '@',
    '?',
    '#',
    '%',
    '%2F',
    '%zz',
    ':memory:',
    '?host=/tmp',
    '[::1]',
    '\0',
  ],
  run(input) {
    const url = input.toString()
    let location: ReturnType<typeof loadDatabase>
    try {
      location = loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL: url })
    } catch (error) {
      assert.ok(error instanceof ConfigProblems, error as Error)
      const rule = error.message.replace(/must .*; it is now/, '')
      assert.ok(url.trim().length < 8 || !rule.includes(url.trim()), 'the value is repeated')
      return
    }
    if (location.dialect === 'sqlite') {
      assert.ok(location.path === ':memory:' || (location.path.startsWith('/') && !location.path.includes('\0')))
      return
    }
    const { server } = location
    assert.match(server.host, /^(\/|[\w.:%-]+$)/)
    assert.ok(server.port >= 1 && server.port <= 65_535)
    assert.notEqual(server.database, '')
  },
}
