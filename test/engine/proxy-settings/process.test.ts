// A running engine and its folder proxy/: at start, after reloads, and when it cannot write there.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { NODE_FLAGS } from '../../support/node-flags.ts'
import { until } from '../../support/until.ts'
import { policy } from '../running-engine.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

async function start(t: TestContext, inspection: string, place?: (published: string) => Promise<unknown>) {
  const folder = await mkdtemp(join(tmpdir(), 'engine-settings-'))
  const published = join(folder, 'published')
  const config = join(folder, 'policy.toml')
  const write = async (text: string) => {
    const rules = `[inspection]\n${text}\n[ops]\nlisten = ""`
    await writeFile(`${config}.new`, policy(rules))
    await rename(`${config}.new`, config)
  }
  await write(inspection)
  await place?.(published)
  const places = ['--allow-fs-read=/*', `--allow-fs-write=${published}*`]
  const main = join(ROOT, 'src/engine/main.ts')
  const options = ['--config', config, '--publish', published, '--listen', '127.0.0.1:0']
  const child = spawn(process.execPath, [...NODE_FLAGS, ...places, main, ...options], {
    env: COMPILE_CACHE,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output.text += chunk))
  t.after(async () => {
    child.kill('SIGKILL')
    await until(() => child.exitCode !== null || child.signalCode !== null)
    await rm(folder, { recursive: true })
  })
  await until(() => {
    assert.equal(child.exitCode, null, output.text)
    return output.text.includes('listening on')
  }, 20)
  const path = (name: string) => join(published, 'proxy', name)
  const hosts = () => readFile(path('exempt-hosts'), 'utf8')
  return { output, write, path, hosts, published }
}

test('published when it listens, again after each accepted reload, and only what has changed', {
  timeout: 40_000,
}, async (t) => {
  const { output, write, path, hosts } = await start(t, 'exempt = ["a.example"]\nyoutube = "strict"')
  assert.match(await hosts(), /^\.api\.cdp\.microsoft\.com\n(.*\n)*a\.example\n/)
  assert.equal(await readFile(path('youtube'), 'utf8'), 'strict\n')
  const { ino } = await stat(path('youtube'))
  await write('exempt = ["b.example"]\nexempt_defaults = false\nyoutube = "strict"')
  await until(async () => (await hosts()) === 'b.example\n')
  await write('exempt = ["*.c.example"]\nexempt_defaults = false')
  await until(() => output.text.includes('policy kept'))
  assert.equal(await hosts(), 'b.example\n')
  assert.equal((await stat(path('youtube'))).ino, ino)
  await write('exempt_defaults = false')
  await until(async () => (await hosts()) === '')
  await until(async () => (await readFile(path('youtube'), 'utf8')) === '')
  assert.equal(await readFile(path('ruled-hosts'), 'utf8'), 'some\n')
  await write('[[rules]]\nname = "guests"\nclients = ["198.51.100.0/24"]\naction = "aup"')
  await until(async () => (await readFile(path('ruled-hosts'), 'utf8')) === 'every\n')
  assert.doesNotMatch(output.text, /cannot publish|has changed: restart/)
})

test('an engine that cannot publish them starts and decides all the same, and says what to do', {
  timeout: 40_000,
}, async (t) => {
  const { output } = await start(t, '', async (published) => {
    await mkdir(published)
    await writeFile(join(published, 'proxy'), '')
  })
  const [line = '', ...more] = output.text.split('\n').filter((one) => one.includes('cannot publish'))
  assert.match(
    JSON.parse(line).msg,
    /^cannot publish \S+\/proxy \(EEXIST\): .*: install -d -m 755 -o ENGINE_USER \S+\/proxy$/,
  )
  assert.equal(JSON.parse(line).level, 50)
  assert.deepEqual(more, [])
})
