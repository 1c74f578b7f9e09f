// Tests compose.yaml without a container engine; checks/deploy/tests/compose.test.ts tests the containers.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'

interface Service {
  readonly restart?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly build?: unknown
  readonly logging?: { readonly driver?: string; readonly options: Readonly<Record<string, string>> }
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly user?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly profiles?: readonly string[]
  readonly ports?: readonly string[]
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>
  readonly volumes?: readonly string[]
}

const text = readFileSync(new URL('../../deploy/compose.yaml', import.meta.url), 'utf8')
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
  readonly secrets: object
}
const { services, networks, secrets }: Compose = parse(text, { merge: true })
const networksOf = (service: string): readonly string[] => {
  const { networks = [] } = services[service] ?? {}
  return Array.isArray(networks) ? networks : Object.keys(networks)
}
const option = (service: string, name: string) => {
  const words = services[service]?.command ?? []
  return words.includes(name) ? words[words.indexOf(name) + 1] : undefined
}

test('every service, the database included: limits, a restart policy, a rotated log, no privileges', () => {
  assert.deepEqual(Object.keys(services), ['terminator', 'portal', 'engine', 'proxy', 'postgresql'])
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.restart, 'unless-stopped', name)
    // With a named driver, another one in a file that extends this replaces its options.
    assert.equal(service.logging?.driver, 'json-file', name)
    assert.deepEqual(Object.keys(service.logging?.options ?? {}), ['max-size', 'max-file'], name)
    assert.ok(service.mem_limit !== undefined && Number(service.pids_limit) > 0, name)
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
  }
})

test('no service is built here: docker-compose 1.29 would require the sources next to the file', () => {
  assert.deepEqual(
    Object.values(services).flatMap(({ build }) => build ?? []),
    [],
  )
})

test('PostgreSQL runs as its own user, not as root', () => {
  assert.match(`${services.postgresql?.user}`, /^\$\{POSTGRESQL_USER:-999:999\}$/)
})

test('the portal sends the API token, and the engine demands it', () => {
  assert.equal(services.portal?.environment?.ENGINE_API_TOKEN_FILE, '/run/secrets/engine-api-token')
  assert.equal(option('engine', '--api-token-file'), '/run/secrets/engine-api-token')
})

test('each service gets only its secrets', () => {
  const given = Object.entries(services).map(([name, service]) => [name, service.secrets ?? []])
  assert.deepEqual(Object.fromEntries(given), {
    terminator: [],
    portal: ['shared-secret', 'secret-key', 'engine-api-token', 'database-password'],
    engine: ['shared-secret', 'engine-api-token', 'icap-token'],
    proxy: ['icap-token'],
    postgresql: ['database-password'],
  })
  const all = ['shared-secret', 'secret-key', 'engine-api-token', 'icap-token', 'database-password']
  assert.deepEqual(Object.keys(secrets), all)
})

test('the profile gateway adds engine and proxy', () => {
  const added = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('gateway'))
  assert.deepEqual(
    added.map(([name]) => name),
    ['engine', 'proxy'],
  )
})

test('the proxy asks the engine over TLS, with its token, on a network of their own', () => {
  const proxy = services.proxy?.environment
  assert.equal(proxy?.PROXY_ICAP, 'icaps://engine:1344/reqmod')
  assert.equal(option('engine', '--icap'), '0.0.0.0:1344')
  assert.ok(services.engine?.command?.includes('--icap-tls'))
  assert.equal(option('engine', '--icap-token-file'), proxy.PROXY_ICAP_TOKEN_FILE)
  const inside = Object.keys(services).filter((name) => networksOf(name).includes('icap'))
  assert.deepEqual(inside, ['engine', 'proxy'])
  assert.equal(networks.icap?.internal, true)
  // On the portal's networks it would let visitors name any address to the portal.
  assert.deepEqual(services.proxy?.networks, ['outside', 'icap'])
})

test('the proxy may only read, and of what the engine publishes only its part', () => {
  const volumes = services.proxy?.volumes ?? []
  assert.ok(volumes.every((volume) => volume.endsWith(':ro')))
  const read = volumes.filter((volume) => volume.includes(':/run/gateway/'))
  assert.deepEqual(read, [
    'published-ca:/run/gateway/ca:ro',
    'proxy-ca:/run/gateway/bump:ro',
    'proxy-settings:/run/gateway/proxy:ro',
  ])
  for (const volume of read) {
    const written = volume.replace('/run/gateway/', '/published/').replace(/:ro$/, '')
    assert.ok(services.engine?.volumes?.includes(written), written)
  }
})

test('the engine gets the operator’s name, which may be unset', () => {
  assert.match(`${services.engine?.environment?.GATEWAY_ORG_NAME}`, /^\$\{GATEWAY_ORG_NAME:-\}$/)
})
