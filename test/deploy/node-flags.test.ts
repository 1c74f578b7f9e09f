// Every command line that starts the portal in a deployment contains the flags of deploy/node-flags, and otherwise only
// grants folders.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../support/node-flags.ts'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (path: string) => readFileSync(`${deploy}${path}`, 'utf8').replaceAll(/ *\\\n */g, ' ')

/** The words of each command line that starts a process. */
const started: readonly (readonly [path: string, words: readonly string[]])[] = [
  ...['Dockerfile', 'proxy/Dockerfile'].flatMap((path) =>
    Array.from(read(path).matchAll(/^ENTRYPOINT (\[.*\])$/gm), ([, json = '']) => [path, JSON.parse(json)] as const),
  ),
  ...globSync('systemd/**/*.service', { cwd: deploy }).flatMap((path) =>
    Array.from(read(path).matchAll(/^ExecStart=(.*)$/gm), ([, line = '']) => [path, line.split(/\s+/)] as const),
  ),
  ...Array.from(
    read('debian/gateway-engine').matchAll(/sh -c 'exec (.*)'/g),
    ([, line = '']) => ['debian/gateway-engine', line.replaceAll('"', '').split(/\s+/)] as const,
  ),
]
const commandLines = started.flatMap(([path, words]) => {
  const [, program] = words.map((word) => /(portal|engine|proxy)\/main\.[jt]s$/.exec(word)).find((found) => found) ?? []
  return program === undefined ? [] : [{ program, path, words }]
})

/** The proxy alone starts another program; Node's warning about it would be the first line of each log. */
const OF_THE_PROXY = ['--allow-child-process', '--disable-warning=PERM0002', '--max-semi-space-size=1']

/** The folders that a program's image may use. */
function places(program: string, kind: 'read' | 'write'): readonly string[] {
  const found = commandLines.find((one) => one.program === program && one.path.endsWith('Dockerfile'))
  const flag = `--allow-fs-${kind}=`
  const words = found?.words.filter((word) => word.startsWith(flag)) ?? []
  return words.map((word) => word.slice(flag.length).replace(/\/\*$/, '')).sort()
}

test('the list contains the important flags', () => {
  for (const flag of ['--permission', '--disable-proto=delete']) assert.ok(NODE_FLAGS.includes(flag))
})

test('each command line has all of it, and grants only folders besides', () => {
  assert.deepEqual(commandLines.map(({ program, path }) => `${program} ${path}`).toSorted(), [
    'engine Dockerfile',
    'engine debian/gateway-engine',
    'engine systemd/gateway-engine.service',
    'engine systemd/gateway-groups.service',
    'engine systemd/gateway-lists.service',
    'portal Dockerfile',
    'portal systemd/gateway-portal.service',
    'proxy proxy/Dockerfile',
    'proxy systemd/gateway-proxy.service',
  ])
  for (const { program, path, words } of commandLines) {
    const flags = [...NODE_FLAGS, ...(program === 'proxy' ? OF_THE_PROXY : [])]
    for (const flag of flags) assert.ok(words.includes(flag), `${path} lacks ${flag}`)
    const end = words.findIndex((word) => /main\.[jt]s$/.test(word))
    const others = words.slice(0, end).filter((word) => word.startsWith('--') && !flags.includes(word))
    for (const other of others) assert.match(other, /^--allow-fs-(read|write)=[/%$][^,]+\/\*$/, `${path}: ${other}`)
    const written = others.filter((other) => other.startsWith('--allow-fs-write='))
    for (const folder of written)
      assert.ok(others.includes(folder.replace('write', 'read')), `${path}: ${folder} unread`)
  }
})

test('the engine’s command of the packages checks what its unit starts: the same options, permissions and credentials', () => {
  const optionsOf = (path: string) => {
    const words = commandLines.find((one) => one.path === path)?.words ?? assert.fail(path)
    return words
      .filter((word) => word.startsWith('--'))
      .map((word) => word.replace('%d', '$CREDENTIALS_DIRECTORY').replace('/opt/gateway-captive-portal', HOME))
      .toSorted()
  }
  const HOME = '/usr/lib/gateway-engine'
  const [unit, command] = ['systemd/gateway-engine.service', 'debian/gateway-engine'] as const
  assert.deepEqual(optionsOf(command), optionsOf(unit))
  const credentialsOf = (path: string) => read(path).match(/\bLoadCredential=\S+/g)
  assert.deepEqual(credentialsOf(command), credentialsOf(unit))
})

test('the images may use the folders that their settings name, and no other', () => {
  const databases = ['/dev/shm', '/var/lib/portal']
  assert.deepEqual(places('portal', 'write'), databases)
  assert.deepEqual(
    places('portal', 'read'),
    ['/app', '/etc/gateway-captive', '/run/gateway/ca', '/run/secrets', ...databases].sort(),
  )
  assert.deepEqual(places('engine', 'write'), ['/published'])
  assert.deepEqual(places('engine', 'read'), ['/app', '/etc/gateway-engine', '/published', '/run/secrets'])
  assert.deepEqual(places('proxy', 'write'), ['/dev/shm', '/run/proxy'])
  assert.deepEqual(places('proxy', 'read'), [
    ...['/app', '/dev/shm', '/etc', '/proc', '/run/gateway'],
    ...['/run/proxy', '/run/secrets', '/usr', '/var/log'],
  ])
  const compose = readFileSync(`${deploy}compose.yaml`, 'utf8')
  for (const [program, pattern] of [
    ['portal', /(?:_FILE|_PATH): (\/\S+)/g],
    ['engine', /^ {6}- (?:\S+:)?(\/(?:app|run\/secrets|published|etc\/gateway-engine)[^\s:]*)/gm],
    ['proxy', /PROXY_\w+: (\/\S+)/g],
  ] as const) {
    const named = Array.from(compose.matchAll(pattern), ([, file = '']) => file)
    assert.ok(named.length > 0)
    for (const file of named) {
      const isGranted = places(program, 'read').some((place) => file === place || file.startsWith(`${place}/`))
      assert.ok(isGranted, `${program}: ${file}`)
    }
  }
})
