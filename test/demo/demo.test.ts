// The README's first command, as a person runs it: one address, every sample site, a clean stop on Ctrl-C.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { parse } from 'smol-toml'
import packageJson from '#package' with { type: 'json' }
import { SAMPLE_SITES } from '../../demo/sites.ts'

const EXPECTED = new Map([
  ['Blocked', '/blocked'],
  ['Warned', '/warned'],
  ['A policy', '/aup'],
  ['A lockout', '/warned'],
  ['Allowed', undefined],
])

test('npm start shows every case of the sample policy and stops cleanly', async (t) => {
  const leftBehind = () => readdirSync('/dev/shm').filter((name) => name.startsWith('captive-portal-demo-'))
  const before = process.platform === 'linux' ? leftBehind() : []
  // npm itself ends by the signal, whatever its script does: what it runs is what is looked at.
  const [command, ...args] = packageJson.scripts.start.split(' ') as [string, ...string[]]
  const demo = spawn(command, [...args, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const group = -(demo.pid as number)
  t.after(() => {
    if (demo.exitCode === null) process.kill(group, 'SIGKILL')
  })
  const output: string[] = []
  for await (const line of createInterface(demo.stdout)) {
    output.push(line)
    if (line.includes('http://')) break
  }
  const addresses = output.join('\n').match(/http:\/\/\S+/g) ?? []
  assert.equal(addresses.length, 1, 'one address is printed')
  const port = Number(new URL(addresses[0] as string).port)

  for (const { host, path, expect } of SAMPLE_SITES) {
    const { status, location } = await visit(port, host, path)
    const [, page] = [...EXPECTED].find(([words]) => expect.startsWith(words)) ?? assert.fail(expect)
    assert.equal(status, page === undefined ? 200 : 302, host)
    assert.equal(location === undefined ? undefined : new URL(location).pathname, page, host)
    if (location !== undefined) assert.equal((await fetch(location)).status, 200, host)
  }

  // What a terminal does on Ctrl-C: every process of the group hears it.
  process.kill(group, 'SIGINT')
  const [code] = await once(demo, 'exit')
  assert.equal(code, 0)
  if (process.platform === 'linux') assert.deepEqual(leftBehind(), before)
})

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
