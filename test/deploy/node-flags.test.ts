// Every command line that starts the portal in a deployment holds the flags of deploy/node-flags, and grants no more than
// folders beside them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../support/node-flags.ts'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (path: string) => readFileSync(`${deploy}${path}`, 'utf8').replaceAll(/ *\\\n */g, ' ')

/** The words of each command line that runs the portal, by file. */
const commandLines = [
  ...Array.from(read('Dockerfile').matchAll(/^ENTRYPOINT (\[.*\])$/gm), ([, json = '']) => [
    'Dockerfile',
    JSON.parse(json),
  ]),
  ...globSync('systemd/**/*.service', { cwd: deploy }).flatMap((path) =>
    Array.from(read(path).matchAll(/^ExecStart=(.*)$/gm), ([, line = '']) => [path, line.split(/\s+/)]),
  ),
].filter(([, words]) => words.some((word: string) => /portal\/main\.[jt]s$/.test(word))) as [string, string[]][]

test('the list says what matters', () => {
  for (const flag of ['--permission', '--disable-proto=delete']) assert.ok(NODE_FLAGS.includes(flag))
})

test('each command line holds all of it, and grants folders alone beside it', () => {
  assert.ok(commandLines.some(([path]) => path === 'Dockerfile'))
  assert.ok(commandLines.some(([path]) => path.startsWith('systemd/')))
  for (const [path, words] of commandLines) {
    for (const flag of NODE_FLAGS) assert.ok(words.includes(flag), `${path} lacks ${flag}`)
    const others = words.filter((word) => word.startsWith('--') && !NODE_FLAGS.includes(word))
    for (const other of others) assert.match(other, /^--allow-fs-(read|write)=[/%$][^,]+\/\*$/, `${path}: ${other}`)
    const written = others.filter((other) => other.startsWith('--allow-fs-write='))
    for (const folder of written)
      assert.ok(others.includes(folder.replace('write', 'read')), `${path}: ${folder} unread`)
  }
})

test('the image may use the folders that its settings name, and no other', () => {
  const [, words] = commandLines.find(([path]) => path === 'Dockerfile') as [string, string[]]
  const places = (kind: string) =>
    words
      .filter((word) => word.startsWith(kind))
      .map((word) => word.slice(kind.length).replace(/\/\*$/, ''))
      .sort()
  const databases = ['/dev/shm', '/var/lib/portal']
  assert.deepEqual(places('--allow-fs-write='), databases)
  assert.deepEqual(
    places('--allow-fs-read='),
    ['/app', '/etc/gateway-captive', '/run/gateway/ca', '/run/secrets', ...databases].sort(),
  )
  const named = [...readFileSync(`${deploy}compose.yaml`, 'utf8').matchAll(/(?:_FILE|_PATH): (\/\S+)/g)]
  assert.ok(named.length > 0)
  for (const [, file = ''] of named)
    assert.ok(
      places('--allow-fs-read=').some((place) => file.startsWith(`${place}/`)),
      file,
    )
})
