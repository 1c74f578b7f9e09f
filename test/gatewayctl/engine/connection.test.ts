// Where the engine, its token and its CA are found, and what happens without them.
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { API_TOKEN, policy, startEngine } from '../../engine/running-engine.ts'
import { freePort } from '../../support/free-port.ts'
import { listen } from '../../support/listen.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { gatewayctl, gatewayctlProcess } from '../gatewayctl.ts'
import { startAdministered } from './against-engine.ts'

const STATUS = ['engine', 'status']
const ADMIN_TOKEN = 'admin-token-for-the-tests'

/** A gateway's folder for an engine: `.env`, and secrets by name. */
async function makeHome(
  t: TestContext,
  variables: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>> = {},
): Promise<string> {
  const home = temporaryFolder(t)
  const lines = Object.entries(variables).map((pair) => `${pair.join('=')}\n`)
  await writeFile(join(home, '.env'), lines.join(''))
  await writeFile(join(home, 'portal.unit'), 'gateway-portal.service\n')
  await mkdir(join(home, 'secrets'), { mode: 0o700 })
  for (const [name, text] of Object.entries(secrets))
    await writeFile(join(home, 'secrets', name), text, { mode: 0o600 })
  return home
}

/** A server with a certificate that the engine has issued. */
async function serverOf(folder: string, listener: RequestListener) {
  const read = (name: string) => readFile(join(folder, 'terminator', name))
  return createServer({ key: await read('portal.key'), cert: await read('portal.crt') }, listener)
}

test('from the gateway’s folder: URL, published CA, and the token of the portal', async (t) => {
  const engine = await startAdministered(t)
  const variables = {
    ENGINE_INTERNAL_URL: `https://localhost:${engine.port}`,
    GATEWAY_CAPTIVE_CA_PATH: join(engine.folder, 'ca', 'ca.crt'),
  }
  const home = await makeHome(t, variables, { 'engine-api-token': API_TOKEN })
  const found = await gatewayctl(STATUS, { env: { GATEWAY_HOME: home } })
  assert.equal(found.status, 0, found.stderr)
  assert.match(found.stdout, new RegExp(`^engine {7}ok {7}https://localhost:${engine.port} responds`))

  const fromVariable = await makeHome(t, { ...variables, ENGINE_API_TOKEN: API_TOKEN })
  assert.equal((await gatewayctl(STATUS, { env: { GATEWAY_HOME: fromVariable } })).status, 0)
  const wrong = await gatewayctl(STATUS, { env: { GATEWAY_HOME: home, ENGINE_API_TOKEN: 'x'.repeat(20) } })
  assert.deepEqual([wrong.status, wrong.stderr], [2, 'error: the engine rejects the token of ENGINE_API_TOKEN\n'])
})

test('the administration token is preferred, and the portal’s does not suffice where there is one', async (t) => {
  const engine = await startEngine(t, policy('', '', `api_token = "${API_TOKEN}"\nadmin_token = "${ADMIN_TOKEN}"`))
  const variables = {
    ENGINE_INTERNAL_URL: `https://127.0.0.1:${engine.port}`,
    ENGINE_CA_FILE: join(engine.folder, 'ca', 'ca.crt'),
    ENGINE_API_TOKEN: API_TOKEN,
  }
  const refused = await gatewayctl(STATUS, { env: { GATEWAY_HOME: await makeHome(t, variables) } })
  assert.equal(refused.status, 2)
  assert.match(refused.stderr, /^error: the engine: .*\[control\] admin_token\.\n$/)
  const home = await makeHome(t, variables, { 'engine-admin-token': `${ADMIN_TOKEN}\n` })
  assert.equal((await gatewayctl(STATUS, { env: { GATEWAY_HOME: home } })).status, 0)
  // A decision is not administration.
  const decided = await gatewayctl(['engine', 'why', '--page', 'https://fine.example/'], {
    env: { GATEWAY_HOME: home },
  })
  assert.match(decided.stderr, /^error: the engine allows /)
})

test('the token may come from standard input, as into a container', async (t) => {
  const engine = await startAdministered(t)
  const [, url = '', , tokenFile = '', ...caFile] = engine.options
  const args = [...STATUS, '--engine', url, '--token-file', '/dev/stdin', ...caFile]
  const { status, stderr } = await gatewayctlProcess(args, { shell: `"$@" < '${tokenFile}'` })
  assert.equal(status, 0, stderr)
})

test('the engine’s certificate is verified: its CA, and its name', async (t) => {
  const engine = await startAdministered(t)
  const other = await startEngine(t, policy(''))
  const tokenFile = join(engine.folder, 'token')
  const url = `https://127.0.0.1:${engine.port}`
  const untrusted = await gatewayctl([...STATUS, '--engine', url, '--token-file', tokenFile])
  assert.equal(untrusted.status, 1)
  assert.match(untrusted.stderr, /is not trusted: \w+; --ca-file names the CA /)
  const otherCa = ['--token-file', tokenFile, '--ca-file', join(other.folder, 'ca', 'ca.crt')]
  assert.match((await gatewayctl([...STATUS, '--engine', url, ...otherCa])).stderr, /is not trusted: /)
  // Issued by the same CA, for other names and addresses.
  let requests = 0
  const server = await serverOf(engine.folder, (_, response) => {
    requests++
    response.end()
  })
  const port = await listen(t, server, '127.0.0.2')
  const unnamed = await gatewayctl([...STATUS, '--engine', `https://127.0.0.2:${port}`, ...engine.options.slice(2)])
  assert.match(unnamed.stderr, /is not trusted: ERR_TLS_CERT_ALTNAME_INVALID/)
  assert.equal(requests, 0)
  assert.ok(!engine.logText().includes('control API request rejected: token missing or wrong'), 'no token was sent')
})

test('an engine that is not there, or in a container, says what to do', async (t) => {
  const port = await freePort()
  const home = await makeHome(t, { ENGINE_INTERNAL_URL: `https://127.0.0.1:${port}`, ENGINE_API_TOKEN: API_TOKEN })
  const nobody = await gatewayctl(STATUS, { env: { GATEWAY_HOME: home } })
  assert.equal(nobody.status, 1)
  assert.match(nobody.stderr, /^error: no response from https:\S+: ECONNREFUSED; if the engine does not start, its log/)
  await rm(join(home, 'portal.unit'))
  await writeFile(join(home, 'compose.yaml'), '')
  const inside = await gatewayctl(STATUS, { env: { GATEWAY_HOME: home } })
  assert.match(inside.stderr, /docker compose exec -T portal node src\/gatewayctl\/main\.ts engine …\n$/)
})

test('a missing or unreadable token, URL or CA is misuse, and named by its option', async (t) => {
  const engine = await startAdministered(t)
  const [, url = '', , tokenFile = '', , caFile = ''] = engine.options
  const home = await makeHome(t, {})
  const nowhere = join(home, 'nowhere')
  const withToken = ['--token-file', tokenFile]
  for (const [args, message] of [
    [['--engine', url, '--ca-file', caFile], /no token was found: --token-file /],
    [['--engine', url, '--token-file', nowhere], /--token-file must name a file that can be read/],
    [['--engine', 'https://x/path', ...withToken], /--engine must be /],
    [['--engine', 'http://127.0.0.1:1', ...withToken], /over https only/],
    [['--engine', url, ...withToken, '--ca-file', nowhere], /--ca-file must be a file that can be read/],
    [['--engine', url, ...withToken, '--ca-file', tokenFile], /has no certificate in PEM/],
  ] as const) {
    const { status, stderr } = await gatewayctl([...STATUS, ...args], { env: { GATEWAY_HOME: home } })
    assert.equal(status, 2, stderr)
    assert.match(stderr, message)
    assert.ok(!stderr.includes(API_TOKEN))
  }
})

test('a hostile response is an error of bounded size, escaped', async (t) => {
  const engine = await startAdministered(t)
  const bodies: [number, string, RegExp][] = [
    [200, 'x'.repeat(9 * 1024 * 1024), /^error: the response is larger than 8 MiB\n$/],
    [200, 'no JSON', /^error: unexpected response of /],
    [200, '{"time": 7}', /^error: unexpected response of /],
    [500, '{"detail": "\\u001b[2J\\u202e"}', /^error: the engine: \\u\{1b\}\[2J\\u\{202e\}\n$/],
    [302, '', /^error: https:\/\/localhost:\d+ responds with 302\n$/],
    [404, '{}', /does not have this call/],
  ]
  let next = 0
  const server = await serverOf(engine.folder, (_, response) => {
    const [status, body] = bodies[next++] ?? assert.fail()
    response.writeHead(status, { location: 'https://elsewhere.example/' }).end(body)
  })
  const words = ['--engine', `https://localhost:${await listen(t, server)}`, ...engine.options.slice(2)]
  for (const [, , message] of bodies) {
    const { status, stderr } = await gatewayctl([...STATUS, ...words])
    assert.equal(status, 1)
    assert.match(stderr, message)
  }
})
