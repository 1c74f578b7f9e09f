// The summary of a configuration contains everything except secrets.
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { auditEvent } from '../../src/portal/monitoring/audit-events.ts'
import { sections } from '../../src/portal/settings/config.ts'
import { summarise } from '../../src/portal/settings/summary.ts'
import { load } from './load.ts'

const SECRETS: Readonly<Record<string, string>> = {
  GATEWAY_CAPTIVE_SHARED_SECRET: 'zq-shared-secret-0123456789abcdefghij zq-other-secret-0123456789abcdefghij',
  GATEWAY_CAPTIVE_SECRET_KEY: 'zq-session-secret-0123456789abcdefghij',
  GATEWAY_CAPTIVE_DATABASE_URL:
    'postgresql://zquser:zqpassword@db.example:5433/portal%20db?application_name=zqparameter',
  GATEWAY_CAPTIVE_DATABASE_PASSWORD: 'zqdatabase',
  ENGINE_API_TOKEN: 'zqtoken',
}

test('it contains no secret, in any encoding', () => {
  const secret = sections.flatMap(({ variables }) =>
    Object.entries(variables).flatMap(([name, variable]) => (variable.secret ? [name] : [])),
  )
  assert.deepEqual(secret.toSorted(), Object.keys(SECRETS).toSorted())
  const summary = summarise(load(SECRETS).config)
  assert.doesNotMatch(JSON.stringify(summary), /zq/)
  assert.deepEqual(summary.database, {
    dialect: 'postgres',
    host: 'db.example:5433',
    name: 'portal db',
    tls: 'none',
  })
  const line = { level: 30, time: '2026-11-20T08:00:00.000Z', event: 'start', configuration: summary, msg: 'starting' }
  auditEvent.parse(JSON.parse(JSON.stringify(line)))
  assert.deepEqual([summary.engine.apiToken, summary.session.secrets], [true, 1])
  const { keyring } = load(SECRETS).config.payload
  assert.deepEqual(summary.payload.keys, [...keyring.opening.keys()])
  assert.equal(summary.payload.keys[0], keyring.sealing.kid)
})

test('addresses and paths are text', () => {
  const changes = {
    GATEWAY_CAPTIVE_SUPPORT_URL: 'mailto:help@a.example?subject={rule}',
    GATEWAY_CAPTIVE_BRAND_LOGO: '/logo.svg',
  }
  const logo = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  const summary = summarise(load(changes, () => logo).config)
  assert.equal(summary.brand.supportUrl, 'mailto:help@a.example?subject={rule}')
  assert.equal(summary.brand.logo, resolve('/logo.svg'))
  assert.equal(summary.engine.url, 'https://engine:11225')
})
