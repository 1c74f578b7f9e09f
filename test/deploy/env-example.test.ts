// deploy/.env.example is all that most operators read: it names what there is, and nothing else.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadConfig, sections } from '../../src/config/config.ts'
import { variableNames } from '../../src/config/names.ts'

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
const example = read('.env.example')
const lines = Array.from(example.matchAll(/^(#?)([A-Z_]+)=(.*)$/gm), ([, mark, name = '', value = '']) => ({
  isSet: mark === '',
  name,
  value,
}))

test('every variable of the portal has its line, once', () => {
  const named = lines.map(({ name }) => name)
  const wanted = [...variableNames(sections)].filter((name) => !name.startsWith('BRAND_'))
  assert.deepEqual(
    wanted.filter((name) => !named.includes(name)),
    [],
  )
  assert.equal(new Set(named).size, named.length)
})

test('every line is a variable of the portal, or one that compose.yaml reads', () => {
  assert.ok(lines.length > 40)
  const compose = read('compose.yaml')
  const known = new Set<string>(variableNames(sections))
  for (const { name } of lines) {
    const isOfCompose = name === 'COMPOSE_PROFILES' || compose.includes(`\${${name}:-`)
    assert.ok(known.has(name) || isOfCompose, name)
  }
})

test('what is set, as it stands, is a configuration whose one warning asks for the operator’s name', () => {
  const [, ofTheImage] = /GATEWAY_CAPTIVE_DATABASE_URL=(\S+)/.exec(read('Dockerfile')) ?? []
  assert.equal(ofTheImage, 'sqlite:////dev/shm/portal.db')
  const env = Object.fromEntries(lines.flatMap(({ isSet, name, value }) => (isSet ? [[name, value]] : [])))
  const secret = 'q7Zk2v9XcR4tYw1LmNb8sDf3GhJ5pQa0'
  const { warnings } = loadConfig({
    GATEWAY_CAPTIVE_DATABASE_URL: ofTheImage,
    ...env,
    GATEWAY_CAPTIVE_SHARED_SECRET: secret,
    GATEWAY_CAPTIVE_SECRET_KEY: secret.toLowerCase().padEnd(40, 'x'),
  })
  assert.equal(warnings.length, 1)
  assert.match(`${warnings}`, /^GATEWAY_ORG_NAME is unset/)
})

test('one line makes the ledger persistent, on the volume that compose.yaml mounts', () => {
  const [line, ...others] = lines.filter(({ name }) => name === 'GATEWAY_CAPTIVE_DATABASE_URL')
  assert.deepEqual(line, {
    isSet: false,
    name: 'GATEWAY_CAPTIVE_DATABASE_URL',
    value: 'sqlite:////var/lib/portal/portal.db',
  })
  assert.equal(others.length, 0)
  assert.match(read('compose.yaml'), /^ {6}- ledger:\/var\/lib\/portal$/m)
})

test('a default that is shown is the default', () => {
  const defaults = new Map(
    sections.flatMap(({ variables }) => Object.entries(variables).map(([name, variable]) => [name, variable.default])),
  )
  let compared = 0
  for (const { isSet, name, value } of lines.filter(({ name }) => !/_FILE$|_PORT$|_HOST$|_PATH$|PROXIES/.test(name))) {
    const expected = defaults.get(name)
    if (isSet || expected === undefined) continue
    assert.equal(value, expected, name)
    compared++
  }
  assert.ok(compared > 10, `${compared} defaults`)
})
