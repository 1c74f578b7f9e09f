// The README's first command, as a person runs it: one address, every sample site, a clean stop on Ctrl-C.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'smol-toml'
import packageJson from '#package' with { type: 'json' }
import { SAMPLE_SITES } from '../../demo/sites.ts'
import { startDemo } from '../../demo/start.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { ask } from '../terminator/client.ts'

const EXPECTED = new Map([
  ['Blocked', '/blocked'],
  ['Warned', '/warned'],
  ['A policy', '/aup'],
  ['A lockout', '/warned'],
  ['Allowed', undefined],
])

test('npm start shows every case of the sample policy and stops cleanly', async (t) => {
  const { text, stop } = await runDemo(t, ['--no-https'], /certificate page/)
  const addresses = text.match(/http:\/\/\S+/g) ?? []
  assert.equal(addresses.length, 1, 'one address is printed')
  await visitSites(Number(new URL(addresses[0] as string).port))
  await stop()
})

test('with nginx, a portal over https as well', { skip: skipWithoutNginx }, async (t) => {
  const { text, stop } = await runDemo(t, [], /curl --cacert/)
  const [list = '', certificatePage = ''] = text.match(/http:\/\/\S+/g) ?? []
  const [, caFile = '', health = ''] = /curl --cacert (\S+) (https:\/\/\S+\/healthz)\n/.exec(text) ?? []
  await visitSites(Number(new URL(list).port))
  assert.ok((await (await fetch(list)).text()).includes(`<a href="${certificatePage}">`))

  const { status, body } = await ask(new URL(health).origin, '/healthz', { ca: readFileSync(caFile) })
  assert.deepEqual({ status, health: JSON.parse(body).status }, { status: 200, health: 'ok' })
  const plain = new URL(certificatePage)
  assert.equal(plain.pathname, '/ca')
  assert.equal((await ask(plain.origin, '/privacy')).headers.location, `${new URL(health).origin}/privacy`)
  // Served as it is, whatever it is.
  assert.equal((await ask(plain.origin, '/ca')).headers.location, undefined)
  await stop()
})

// That the demo's gateway and portals have it, the tests above show.
test('its engine demands the API token', async (t) => {
  const said = Promise.withResolvers<string>()
  const demo = await startDemo({
    policyFile: fileURLToPath(new URL('../../src/engine/sample-policy.toml', import.meta.url)),
    ports: [0],
    onLog(program, line) {
      const address = /listening on (https:[^"]+)/.exec(line)?.[1]
      if (program === 'engine' && address !== undefined) said.resolve(address)
    },
  })
  t.after(demo.stop)
  const ca = readFileSync(join(demo.published, 'ca/ca.crt'))
  const status = async (path: string) => (await ask(await said.promise, path, { ca })).status
  assert.deepEqual(await Promise.all(['/healthz', '/api/captive/ack?p=x'].map(status)), [200, 401])
})

/** Runs it until it has printed this; `stop` presses Ctrl-C, and finds nothing left. */
async function runDemo(t: TestContext, options: readonly string[], last: RegExp) {
  // npm itself ends by the signal, whatever its script does: what it runs is what is looked at.
  const [command, ...args] = packageJson.scripts.start.split(' ') as [string, ...string[]]
  const demo = spawn(command, [...args, '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const group = -(demo.pid as number)
  t.after(() => {
    if (demo.exitCode === null) process.kill(group, 'SIGKILL')
  })
  let text = ''
  for await (const line of createInterface(demo.stdout)) {
    text += `${line}\n`
    if (last.test(line)) break
  }
  const folders = process.platform === 'linux' ? foldersOf(-group) : []
  assert.ok(folders.length === 1 || process.platform !== 'linux')
  return {
    text,
    async stop() {
      // What a terminal does: every process of the group hears it.
      process.kill(group, 'SIGINT')
      const [code] = await once(demo, 'exit')
      assert.equal(code, 0)
      // What a busy machine is still taking down has been told.
      await until(() => isGone(group))
      for (const folder of folders) assert.ok(!existsSync(folder), `${folder} is left`)
    },
  }
}

function isGone(group: number): boolean {
  try {
    process.kill(group, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** The demo's folders, as they stand in the command lines of a process group. */
function foldersOf(group: number): string[] {
  const found = readdirSync('/proc').flatMap((pid) => {
    try {
      const [, , , , inGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/\(.*\)/, 'name')
        .split(' ')
      if (Number(inGroup) !== group) return []
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').match(/\/[^\0\s]*\/captive-portal-demo-\w+/g) ?? []
    } catch {
      return []
    }
  })
  return [...new Set(found)]
}

async function visitSites(port: number): Promise<void> {
  for (const { host, path, expect } of SAMPLE_SITES) {
    const { status, location } = await visit(port, host, path)
    const [, page] = [...EXPECTED].find(([words]) => expect.startsWith(words)) ?? assert.fail(expect)
    assert.equal(status, page === undefined ? 200 : 302, host)
    assert.equal(location === undefined ? undefined : new URL(location).pathname, page, host)
    if (location !== undefined) assert.equal((await fetch(location)).status, 200, host)
  }
}

test('the list has a site for every rule of the sample policy, with its code', () => {
  const file = new URL('../../src/engine/sample-policy.toml', import.meta.url)
  const { rules } = parse(readFileSync(file, 'utf8')) as unknown as {
    rules: { name: string; match: string[]; override?: { code: string } }[]
  }
  for (const { name, match, override } of rules) {
    const site = SAMPLE_SITES.find(({ host }) => match.includes(host))
    assert.ok(site !== undefined, name)
    assert.equal(site.code, override?.code, name)
  }
})

/** The gateway tells the sites apart by their Host header. */
async function visit(port: number, host: string, path: string) {
  const request = get({ host: '127.0.0.1', port, path, headers: { host: `${host}:${port}` } })
  const [response] = await once(request, 'response')
  response.resume()
  return { status: response.statusCode as number, location: response.headers.location as string | undefined }
}
