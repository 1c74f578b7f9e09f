// The stack for Docker Swarm matches the schema of `docker stack deploy`, and has the settings that its updates need.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'

const FOLDER = join(import.meta.dirname, '../../deploy/swarm')
const FILES = ['stack.yaml', 'postgresql.yaml']
const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8'))
const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'schemas/stack.json'), 'utf8'))
const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema)

for (const file of FILES) {
  test(`${file} matches the published schema`, () => {
    validate(read(file))
    assert.deepEqual(validate.errors ?? [], [])
  })

  test(`${file}: everything that a service references is declared, or is in the other file`, () => {
    const declared = FILES.map(read)
    const names = (section: string) => declared.flatMap((stack) => Object.keys(stack[section] ?? {}))
    for (const service of Object.values<Record<string, unknown[]>>(read(file).services)) {
      const used = (section: string) =>
        (service[section] ?? []).map((one) => (one as { source?: string }).source ?? one)
      for (const section of ['networks', 'secrets', 'configs']) {
        for (const name of used(section)) assert.ok(names(section).includes(name as string), `${section}: ${name}`)
      }
    }
  })
}

test('an unknown member is rejected', () => {
  const stack = read('stack.yaml')
  stack.services.portal.deploy.update_config.order = 'start-frist'
  assert.equal(validate(stack), false)
})

test('an update of the portal starts the successor first, and rolls back by itself', () => {
  const { deploy, stop_grace_period: grace } = read('stack.yaml').services.portal
  assert.equal(deploy.update_config.order, 'start-first')
  assert.equal(deploy.rollback_config.order, 'start-first')
  assert.equal(deploy.update_config.failure_action, 'rollback')
  assert.ok(deploy.replicas >= 2)
  assert.equal(grace, '40s')
})

test('two tasks never share ports of a node or a data folder', () => {
  const { terminator } = read('stack.yaml').services
  assert.deepEqual([terminator.deploy.mode, terminator.deploy.update_config.order], ['global', 'stop-first'])
  assert.ok(terminator.ports.every(({ mode }: { mode: string }) => mode === 'host'))
  const { postgresql } = read('postgresql.yaml').services
  assert.deepEqual([postgresql.deploy.replicas, postgresql.deploy.update_config.order], [1, 'stop-first'])
})

test('the portal sends the engine’s API token, which only its user can read', () => {
  const { portal } = parse(readFileSync(join(FOLDER, 'stack.yaml'), 'utf8'), { version: '1.1' }).services
  assert.equal(portal.environment.ENGINE_API_TOKEN_FILE, '/run/secrets/engine-api-token')
  const secret = portal.secrets.find(({ source }: { source: string }) => source === 'engine-api-token')
  assert.deepEqual(secret, { source: 'engine-api-token', uid: '10001', gid: '10001', mode: 0o400 })
})
