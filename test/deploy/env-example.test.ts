// deploy/.env.example is all that most operators read: it names every setting, and nothing else. deploy/debian/env is the
// short form that the Debian packages install.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { loadConfig, readConfig, sections } from '../../src/portal/settings/config.ts'
import { variableNames } from '../../src/settings/names.ts'
import { proxy } from '../../src/settings/sections/proxy.ts'

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
const example = read('.env.example')
const lines = Array.from(example.matchAll(/^(#?)([A-Z_]+)=(.*)$/gm), ([, mark, name = '', value = '']) => ({
  isSet: mark === '',
  name,
  value,
}))

test('every variable of the portal has exactly one line', () => {
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
    const isOfCompose = ['COMPOSE_PROFILES', 'COMPOSE_FILE'].includes(name) || compose.includes(`\${${name}:-`)
    assert.ok(known.has(name) || isOfCompose, name)
  }
})

test('the values that are set are a valid configuration, with one warning about the operator’s name', () => {
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

test('no line sets what compose.yaml or the image sets by another name; those that would are marked', () => {
  const [offered = '', notForThisFile = ''] = example.split('# Not for this file')
  const { portal } = parse(read('compose.yaml'), { merge: true }).services
  const ofTheContainer = {
    GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////dev/shm/portal.db',
    ...Object.fromEntries(Object.entries<string>(portal.environment).filter(([, value]) => !value.startsWith('$'))),
  }
  const secret = Buffer.from('q7Zk2v9XcR4tYw1LmNb8sDf3GhJ5pQa0 q7Zk2v9XcR4tYw1LmNb8sDf3GhJ5pQa1')
  const conflicts = (text: string) =>
    Array.from(text.matchAll(/^#([A-Z_]+)=(.*)$/gm), ([, name = '', value = '']) => ({ name, value })).filter(
      ({ name, value }) => {
        const file = name.endsWith('_FILE') ? '/run/secrets/x' : value
        const env = { ...ofTheContainer, [name]: file || 'a value of the operator' }
        return readConfig(env, () => secret).problems.some((problem) => problem.includes('together'))
      },
    )
  assert.deepEqual(conflicts(offered), [])
  assert.deepEqual(
    conflicts(notForThisFile).map(({ name }) => name),
    [
      ...['GATEWAY_CAPTIVE_SHARED_SECRET', 'GATEWAY_CAPTIVE_SECRET_KEY', 'ENGINE_API_TOKEN'],
      ...['GATEWAY_CAPTIVE_DATABASE_URL_FILE', 'GATEWAY_CAPTIVE_DATABASE_PASSWORD'],
    ],
  )
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

test('the defaults shown are the real defaults', () => {
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

test('the packages’ file is a valid configuration once it has the name, and names only what something reads', () => {
  const text = read('debian/env')
  const env = Object.fromEntries(
    Array.from(text.matchAll(/^([A-Z_]+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]),
  )
  // Without these no service starts.
  const required = { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_ORG_NAME: 'Northwind Institute' }
  for (const name of Object.keys(required)) assert.equal(env[name], '', name)
  const secret = 'q7Zk2v9XcR4tYw1LmNb8sDf3GhJ5pQa0'
  const { warnings } = loadConfig({
    ...env,
    ...required,
    GATEWAY_CAPTIVE_SHARED_SECRET: secret,
    GATEWAY_CAPTIVE_SECRET_KEY: secret.toLowerCase().padEnd(40, 'x'),
  })
  assert.deepEqual(warnings, [])
  const readers = ['terminator/start', 'backup/archive', 'systemd/gateway-prune.service'].map(read)
  const known = new Set<string>(variableNames([...sections, proxy]))
  for (const [, name = ''] of text.matchAll(/^#?([A-Z_]+)=/gm)) {
    assert.ok(known.has(name) || readers.some((reader) => reader.includes(`\${${name}`)), name)
  }
})
