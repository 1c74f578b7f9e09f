import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { SECRET } from '../support/payloads.ts'

const source = (name: string) => fileURLToPath(new URL(`../../src/engine/${name}`, import.meta.url))
const SAMPLE = ['--config', source('sample-policy.toml')]

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-process-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'secret'), SECRET)
  return folder
}

function start(t: TestContext, args: readonly string[]) {
  const child = spawn(process.execPath, [source('main.ts'), ...args], {
    env: COMPILE_CACHE,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  return { child, output }
}

async function exitCode(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'close')
  return code
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`listens, answers over verified TLS, and exits with status 0 on ${signal}`, { timeout: 20_000 }, async (t) => {
    const folder = await makeFolder(t)
    const options = ['--listen', '127.0.0.1:0', '--publish', folder, '--secret-file', join(folder, 'secret')]
    const names = ['--hostname', 'captive.internal', '--hostname', '192.0.2.1']
    const organisation = ['--organisation', `Schulhaus "Süd" #1 ${'x'.repeat(100)}`]
    const { child, output } = start(t, [
      ...[...SAMPLE, ...options, ...names, ...organisation],
      ...['--base-url', 'http://localhost:8000'],
    ])
    await once(child.stdout as NodeJS.EventEmitter, 'data')
    const address = /^\{.*"msg":"listening on (https:\/\/127\.0\.0\.1:\d+)"\}\n$/.exec(output.stdout)?.[1]
    assert.ok(address, output.stdout + output.stderr)
    const ca = await readFile(join(folder, 'ca', 'ca.crt'))
    assert.equal(
      new X509Certificate(ca).toLegacyObject().subject.O,
      `Schulhaus "Süd" #1 ${'x'.repeat(100)}`.slice(0, 64),
    )
    const sent = request(`${address}/api/decision`, {
      method: 'POST',
      ca,
      headers: { 'content-type': 'application/json' },
    })
    sent.end(JSON.stringify({ url: 'http://casino.localhost:8080/', client: '127.0.0.1' }))
    const [response] = await once(sent, 'response')
    const chunks = await response.toArray()
    assert.match(Buffer.concat(chunks).toString(), /"redirect":"http:\/\/localhost:8000\/blocked\?p=/)
    const leaf = new X509Certificate(await readFile(join(folder, 'terminator', 'portal.crt')))
    assert.equal(leaf.subjectAltName, 'DNS:localhost, DNS:captive.internal, IP Address:192.0.2.1')
    child.kill(signal)
    assert.equal(await exitCode(child), 0)
    for (const line of output.stdout.trimEnd().split('\n')) JSON.parse(line)
    assert.equal(output.stderr, '')
  })
}

test('help, and mistakes on the command line', { timeout: 20_000 }, async (t) => {
  const help = start(t, ['--help'])
  assert.equal(await exitCode(help.child), 0)
  assert.match(help.output.stdout, /^Usage: /)
  for (const args of [[], ['--nonsense'], [...SAMPLE, 'extra']]) {
    const { child, output } = start(t, args)
    assert.equal(await exitCode(child), 2)
    assert.match(output.stderr, /Usage: /)
  }
})

test('a faulty configuration exits with status 2, every problem on standard error', { timeout: 20_000 }, async (t) => {
  const { child, output } = start(t, [...SAMPLE, '--base-url', 'nonsense'])
  assert.equal(await exitCode(child), 2)
  assert.equal(output.stdout, '')
  assert.match(
    output.stderr,
    /^The configuration has 3 problems:\n {2}\S+sample-policy\.toml: captive_portal\.secret must be set/,
  )
})

test('a policy that still has crl_url starts with one warning', { timeout: 20_000 }, async (t) => {
  const folder = await makeFolder(t)
  const policy = join(folder, 'policy.toml')
  const sample = await readFile(source('sample-policy.toml'), 'utf8')
  await writeFile(
    policy,
    sample.replace('[certificates]', '[certificates]\ncrl_url = "http://pki.example/gateway.crl"'),
  )
  const options = ['--publish', folder, '--secret-file', join(folder, 'secret'), '--listen', '127.0.0.1:0']
  const { child, output } = start(t, ['--config', policy, ...options])
  while (!output.stdout.includes('listening')) await once(child.stdout as NodeJS.EventEmitter, 'data')
  const lines = output.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  assert.equal(warnings.length, 1, output.stdout)
  assert.match(warnings[0], /^certificates\.crl_url is ignored/)
  assert.equal(output.stderr, '')
  assert.ok(!(await readdir(folder)).includes('revocation'))
})

test('a failure at startup is one log line and status 1', { timeout: 20_000 }, async (t) => {
  const folder = await makeFolder(t)
  const options = ['--publish', folder, '--secret-file', join(folder, 'secret')]
  const elsewhere = start(t, [...SAMPLE, ...options, '--listen', '192.0.2.1:0'])
  assert.equal(await exitCode(elsewhere.child), 1)
  assert.match(elsewhere.output.stdout, /EADDRNOTAVAIL/)
  await writeFile(join(folder, 'ca', 'ca.crt'), 'garbage')
  const broken = start(t, [...SAMPLE, ...options, '--listen', '127.0.0.1:0'])
  assert.equal(await exitCode(broken.child), 1)
  assert.match(broken.output.stdout, /ca\.crt is not a CA certificate/)
  assert.equal(broken.output.stdout.trimEnd().split('\n').length, 1)
  assert.equal(broken.output.stderr, '')
})
