// What of compose.yaml, and of the stack for Docker Swarm, no container shows: checks/deploy/tests/ inspects those of their services,
// with their secrets, networks, mounts and privileges; checks/swarm/ updates the stack and rolls it back under load.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
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
  readonly secrets?: readonly string[]
  readonly profiles?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>
  readonly volumes?: readonly string[]
}

const text = readFileSync(new URL('../../deploy/compose.yaml', import.meta.url), 'utf8')
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>
}
const { services, networks }: Compose = parse(text, { merge: true })

/** Its services. */
function swarm(file: string) {
  return parse(readFileSync(new URL(`../../deploy/swarm/${file}`, import.meta.url), 'utf8'), { version: '1.1' })
    .services
}

test('every service, the database included: limits, a restart policy, a rotated log, no privileges, and no build', () => {
  assert.deepEqual(Object.keys(services), ['terminator', 'portal', 'engine', 'proxy', 'alarms', 'postgresql'])
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.restart, 'unless-stopped', name)
    // With a named driver, another one in a file that extends this replaces its options.
    assert.equal(service.logging?.driver, 'json-file', name)
    assert.deepEqual(Object.keys(service.logging?.options ?? {}), ['max-size', 'max-file'], name)
    assert.ok(service.mem_limit !== undefined && Number(service.pids_limit) > 0, name)
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    // docker-compose 1.29 would require the sources next to the file.
    assert.equal(service.build, undefined, name)
  }
  // Not root.
  assert.match(`${services.postgresql?.user}`, /^\$\{POSTGRESQL_USER:-999:999\}$/)
})

test('each service gets only its secrets, and the profile gateway adds engine and proxy', () => {
  const rows = Object.entries(services).map(([name, { secrets = [], profiles = [] }]) => [
    name,
    ...secrets,
    ...profiles,
  ])
  assert.deepEqual(rows, [
    ['terminator'],
    ['portal', 'shared-secret', 'secret-key', 'engine-api-token', 'database-password'],
    ['engine', 'shared-secret', 'engine-api-token', 'icap-token', 'engine', 'demo', 'gateway'],
    ['proxy', 'icap-token', 'gateway'],
    ['alarms', 'engine-api-token', 'alarms'],
    ['postgresql', 'database-password', 'postgresql'],
  ])
})

test('the engine gets the operator’s name, which may be unset', () => {
  assert.match(`${services.engine?.environment?.GATEWAY_ORG_NAME}`, /^\$\{GATEWAY_ORG_NAME:-\}$/)
})

test('terminator and proxy get what their pages name the operator after', () => {
  for (const { environment } of [services.terminator, services.proxy, swarm('stack.yaml').terminator]) {
    for (const name of ['GATEWAY_ORG_NAME', 'GATEWAY_CAPTIVE_BRAND_COMPANY']) {
      assert.equal(environment[name], `\${${name}:-}`)
    }
  }
})

test('the proxy asks the engine over TLS, with its token, on a network of their own', () => {
  const { environment, networks: ofProxy } = services.proxy ?? {}
  const words = services.engine?.command ?? []
  assert.equal(environment?.PROXY_ICAP, 'icaps://engine:1344/reqmod')
  assert.ok(words.includes('--icap-tls'))
  assert.equal(words[words.indexOf('--icap-token-file') + 1], environment.PROXY_ICAP_TOKEN_FILE)
  const inside = Object.keys(services).filter((name) => {
    const { networks = [] } = services[name] ?? {}
    return (Array.isArray(networks) ? networks : Object.keys(networks)).includes('icap')
  })
  assert.deepEqual(inside, ['engine', 'proxy'])
  assert.equal(networks.icap?.internal, true)
  // On the portal's networks it would let visitors name any address to the portal.
  assert.deepEqual(ofProxy, ['outside', 'icap'])
})

test('the watcher is not where it would be trusted as a terminator, and depends on no service that it watches', () => {
  assert.deepEqual(services.alarms?.networks, ['outside', 'engine'])
  assert.ok(!('depends_on' in (services.alarms ?? {})))
  assert.ok(services.alarms?.volumes?.every((volume) => volume.endsWith(':ro') || volume.startsWith('alarms:')))
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

describe('the stack for Docker Swarm', () => {
  const { terminator, portal } = swarm('stack.yaml')

  test('two tasks never share ports of a node or a data folder', () => {
    assert.deepEqual([terminator.deploy.mode, terminator.deploy.update_config.order], ['global', 'stop-first'])
    assert.ok(terminator.ports.every(({ mode }: { mode: string }) => mode === 'host'))
    const { deploy } = swarm('postgresql.yaml').postgresql
    assert.deepEqual([deploy.replicas, deploy.update_config.order], [1, 'stop-first'])
  })
  test('the portal sends the engine’s API token, which only its user can read', () => {
    assert.equal(portal.environment.ENGINE_API_TOKEN_FILE, '/run/secrets/engine-api-token')
    const secret = portal.secrets.find(({ source }: { source: string }) => source === 'engine-api-token')
    assert.deepEqual(secret, { source: 'engine-api-token', uid: '10001', gid: '10001', mode: 0o400 })
  })
})
