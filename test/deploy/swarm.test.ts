// The settings of the stack for Docker Swarm that one node does not show: checks/swarm/ deploys it, and updates and rolls it back under
// load; `docker stack` reads both files in checks/deploy/tests/.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const FOLDER = join(import.meta.dirname, '../../deploy/swarm')
const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8'), { version: '1.1' })

test('two tasks never share ports of a node or a data folder', () => {
  const { terminator } = read('stack.yaml').services
  assert.deepEqual([terminator.deploy.mode, terminator.deploy.update_config.order], ['global', 'stop-first'])
  assert.ok(terminator.ports.every(({ mode }: { mode: string }) => mode === 'host'))
  const { postgresql } = read('postgresql.yaml').services
  assert.deepEqual([postgresql.deploy.replicas, postgresql.deploy.update_config.order], [1, 'stop-first'])
})

test('the portal sends the engine’s API token, which only its user can read', () => {
  const { portal } = read('stack.yaml').services
  assert.equal(portal.environment.ENGINE_API_TOKEN_FILE, '/run/secrets/engine-api-token')
  const secret = portal.secrets.find(({ source }: { source: string }) => source === 'engine-api-token')
  assert.deepEqual(secret, { source: 'engine-api-token', uid: '10001', gid: '10001', mode: 0o400 })
})
