// What compose.yaml says, on machines without a container engine; compose.test.ts asks the containers themselves.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'

interface Service {
  readonly restart?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly logging?: { readonly options: Readonly<Record<string, string>> }
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly user?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
}

const text = readFileSync(new URL('../../deploy/compose.yaml', import.meta.url), 'utf8')
const { services, secrets }: { services: Record<string, Service>; secrets: object } = parse(text, { merge: true })
const option = (service: string, name: string) => {
  const words = services[service]?.command ?? []
  return words.includes(name) ? words[words.indexOf(name) + 1] : undefined
}

test('every service, the database included: limits, a restart policy, a rotated log, no privileges', () => {
  assert.deepEqual(Object.keys(services), ['terminator', 'portal', 'engine', 'postgresql'])
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.restart, 'unless-stopped', name)
    assert.deepEqual(Object.keys(service.logging?.options ?? {}), ['max-size', 'max-file'], name)
    assert.ok(service.mem_limit !== undefined && Number(service.pids_limit) > 0, name)
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
  }
})

test('PostgreSQL runs as a user of its own, who is not root', () => {
  assert.match(`${services.postgresql?.user}`, /^\$\{POSTGRESQL_USER:-999:999\}$/)
})

test('the portal sends the API token, and the engine demands it', () => {
  assert.equal(services.portal?.environment?.ENGINE_API_TOKEN_FILE, '/run/secrets/engine-api-token')
  assert.equal(option('engine', '--api-token-file'), '/run/secrets/engine-api-token')
})

test('each service is given its secrets and no other', () => {
  const given = Object.entries(services).map(([name, service]) => [name, service.secrets ?? []])
  assert.deepEqual(Object.fromEntries(given), {
    terminator: [],
    portal: ['shared-secret', 'secret-key', 'engine-api-token'],
    engine: ['shared-secret', 'engine-api-token'],
    postgresql: ['database-password'],
  })
  assert.deepEqual(Object.keys(secrets), ['shared-secret', 'secret-key', 'engine-api-token', 'database-password'])
})

test('the engine is told the operator’s name, which may be unset', () => {
  assert.match(`${option('engine', '--organisation')}`, /^\$\{GATEWAY_ORG_NAME:-\}$/)
})
