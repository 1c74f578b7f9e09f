// The commands of README.md that start containers, as printed, but on free ports and with images of this check.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandBlocks } from '../../../test/deploy/command-blocks.ts'
import { run, sandbox } from '../../../test/deploy/commands.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { send } from '../../../test/terminator/client.ts'
import { images } from '../images.ts'
import { containersOf, docker, engineVariables } from './docker.ts'

const IMAGES = ['captive-portal', 'engine', 'captive-terminator']

test('the containers of README.md start without a warning, and lead to a page', { timeout: 300_000 }, async (t) => {
  const { text } = commandBlocks('README.md').find((block) => block.text.includes('docker compose up')) ?? assert.fail()
  const { here, folder, env } = sandbox(t)
  const home = join(folder, 'gateway-trial')
  const [http, https] = [await freePort(), await freePort()]
  const subnet = `172.30.${http % 250}.0/24`
  const variables = { ...env, ...engineVariables }
  const inHome = { cwd: home, env: variables }
  t.after(() => {
    spawnSync('docker-compose', ['down', '--volumes', '--timeout', '2'], inHome)
    spawnSync('docker', ['rmi', ...IMAGES.map((name) => `portal-check/documented-${name}`)], { env: variables })
  })
  const settings = {
    GATEWAY_CAPTIVE_HTTP_PORT: http,
    GATEWAY_CAPTIVE_HTTPS_PORT: https,
    GATEWAY_INSIDE_SUBNET: subnet,
    PORTAL_IMAGE: 'portal-check/documented-captive-portal',
    ENGINE_IMAGE: 'portal-check/documented-engine',
    TERMINATOR_IMAGE: 'portal-check/documented-captive-terminator',
  }
  const changes = Object.entries(settings).map(([name, value]) => `-e 's,^#*${name}=.*,${name}=${value},'`)
  const commands = text
    .replaceAll('docker build ', `docker build --build-arg BASE_IMAGE=${images.base} `)
    .replaceAll('gateway/', 'portal-check/documented-')
    .replace('cd ~/gateway-trial\n', `$&sed -i ${changes.join(' ')} .env\n`)
  const { stdout, stderr } = run(commands, { cwd: here, env: variables, seconds: 240 })
  // Of Docker itself, where it has no BuildKit.
  const said = stderr.replaceAll(/^DEPRECATED: The legacy builder .*$/gm, '')
  assert.doesNotMatch(said, /warn|deprecated|obsolete/i)
  const address = stdout.trim().split('\n').at(-1) ?? ''
  assert.ok(address.startsWith(`https://localhost:${https}/blocked?p=`), address)

  const ca = docker('exec', containersOf(home, 'portal'), 'cat', '/run/gateway/ca/ca.crt')
  const { pathname, search } = new URL(address)
  const page = await send(`https://127.0.0.1:${https}`, pathname + search, { ca, servername: 'localhost' })
  assert.equal(page.status, 200)
  assert.match(page.body, /<h1>This page is blocked/)
  for (const service of ['portal', 'engine']) {
    const logged = spawnSync('docker', ['logs', containersOf(home, service)], { env: variables, encoding: 'utf8' })
    // The engine may listen and publish its CA right after the portal's start.
    const isEarly = (line: string) => /no certificate is|the engine is not reachable yet/.test(line)
    const lines = `${logged.stdout}${logged.stderr}`.split('\n').filter((line) => !isEarly(line))
    assert.doesNotMatch(lines.join('\n'), /"level":[456]0/, service)
  }
})
