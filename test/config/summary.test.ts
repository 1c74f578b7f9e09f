// What may be shown of a configuration: everything but its secrets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sections } from '../../src/config/config.ts'
import { summarise } from '../../src/config/summary.ts'
import { load } from './load.ts'

const SECRETS: Readonly<Record<string, string>> = {
  GATEWAY_CAPTIVE_SHARED_SECRET: 'zq-shared-secret-0123456789abcdefghij zq-other-secret-0123456789abcdefghij',
  GATEWAY_CAPTIVE_SECRET_KEY: 'zq-session-secret-0123456789abcdefghij',
  GATEWAY_CAPTIVE_DATABASE_URL: 'postgresql://zquser:zqpassword@db.example:5433/portal%20db?password=zqparameter',
  ENGINE_API_TOKEN: 'zqtoken',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20zqtoken',
}

test('it contains no secret, in any encoding', () => {
  const secret = sections.flatMap(({ variables }) =>
    Object.entries(variables).flatMap(([name, variable]) => (variable.secret ? [name] : [])),
  )
  assert.deepEqual(secret.toSorted(), Object.keys(SECRETS).toSorted())
  const summary = summarise(load(SECRETS).config)
  assert.doesNotMatch(JSON.stringify(summary), /zq/)
  assert.deepEqual(summary.database, { dialect: 'postgres', host: 'db.example:5433', name: 'portal db' })
  assert.deepEqual([summary.engine.apiToken, summary.session.secrets], [true, 1])
  assert.deepEqual(summary.tracing, { url: undefined, headers: ['authorization'] })
  const { keyring } = load(SECRETS).config.payload
  assert.deepEqual(summary.payload.keys, [...keyring.opening.keys()])
  assert.equal(summary.payload.keys[0], keyring.sealing.kid)
})

test('addresses are text', () => {
  const summary = summarise(load({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/base/' }).config)
  assert.equal(summary.tracing.url, 'http://collector.example:4318/base/v1/traces')
  assert.equal(summary.engine.url, 'https://engine:11225')
})
