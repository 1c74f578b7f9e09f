// Debian's FreeRADIUS, configured by the blocks of docs/phones.md, and an access point that speaks to it.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Cleanup, inReverse } from '../../test/support/cleanup.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

const DEBIAN = '/etc/freeradius/3.0'
const SECRET = 'testing123'
const run = promisify(execFile)

export const skipWithoutFreeradius = skipUnless(
  existsSync(`${DEBIAN}/mods-available/rest`) && ['freeradius', 'radclient', 'eapol_test'].every(hasCommand),
  'needs FreeRADIUS: apt-get install freeradius freeradius-rest freeradius-utils eapoltest',
)

export interface Freeradius {
  /** Accounting of an access point. @param attributes values by name */
  account(attributes: Readonly<Record<string, string>>): Promise<void>
  /** Signs in by EAP-TTLS. @returns the Class of the acceptance, in hexadecimal, and all that the client prints */
  signIn(
    account: { readonly name: string; readonly password: string },
    outer: string,
  ): Promise<{ readonly class: string; readonly output: string }>
}

export interface FreeradiusOptions {
  /** The engine's control API. */
  readonly engine: string
  readonly token: string
  /** PEM. */
  readonly ca: string
  /** Passwords by name. */
  readonly users: Readonly<Record<string, string>>
}

/** On its usual ports, in the network namespace of the caller. */
export async function startFreeradius(
  test: Cleanup,
  { engine, token, ca, users }: FreeradiusOptions,
): Promise<Freeradius> {
  const t = inReverse(test)
  const folder = temporaryFolder(t)
  const at = (...parts: readonly string[]) => join(folder, ...parts)
  cpSync(DEBIAN, folder, { recursive: true, verbatimSymlinks: true })
  const change = (path: string, from: string | RegExp, to: string) => {
    const before = readFileSync(at(path), 'utf8')
    const after = before.replace(from, () => to)
    assert.notEqual(after, before, `${path}: ${from}`)
    // Some are links to sites-available.
    rmSync(at(path))
    writeFileSync(at(path), after)
  }
  const [inner = '', module = '', policy = '', accounting = ''] = documentedBlocks()
  writeFileSync(at('gateway-ca.crt'), ca)
  writeFileSync(
    at('mods-enabled/gateway'),
    module.replaceAll(DEBIAN, folder).replaceAll('https://localhost:11225', engine.replace('127.0.0.1', 'localhost')),
  )
  writeFileSync(at('policy.d/gateway'), policy.replace('TOKEN', token))
  change('sites-enabled/inner-tunnel', '\npost-auth {\n', `\npost-auth {\n${inner}`)
  change('sites-enabled/default', '\naccounting {\n', `\naccounting {\n${accounting}`)
  change('radiusd.conf', /^raddbdir = .*$/m, `raddbdir = ${folder}`)
  change('radiusd.conf', /^logdir = .*$/m, `logdir = ${folder}`)
  change('radiusd.conf', /^\tuser = freerad\n\tgroup = freerad$/m, '\tuser = root\n\tgroup = root')
  const accounts = Object.entries(users).map(([name, password]) => `${name} Cleartext-Password := "${password}"\n`)
  writeFileSync(at('mods-config/files/authorize'), accounts.join(''))
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=radius.example'],
      ...['-keyout', at('eap.key'), '-out', at('eap.pem')],
    ],
    { stdio: 'ignore' },
  )
  change('mods-enabled/eap', /^\t\tprivate_key_file = .*$/m, `\t\tprivate_key_file = ${at('eap.key')}`)
  change('mods-enabled/eap', /^\t\tcertificate_file = .*$/m, `\t\tcertificate_file = ${at('eap.pem')}`)

  const server = spawn('freeradius', ['-f', '-X', '-d', folder], { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk) => {
      log += chunk
    })
  }
  t.after(async () => {
    if (server.exitCode !== null) return
    const ended = once(server, 'close')
    server.kill('SIGKILL')
    await ended
  })
  await until(() => {
    assert.equal(server.exitCode, null, log)
    return log.includes('Ready to process requests')
  }, 30)

  return {
    async account(attributes) {
      const lines = Object.entries({ 'Acct-Session-Id': '1', ...attributes }).map(
        ([name, value]) => `${name} = ${value}\n`,
      )
      const file = at('accounting')
      writeFileSync(file, lines.join(''))
      const { stdout } = await run('radclient', ['-f', file, '-t', '5', '-r', '3', '127.0.0.1:1813', 'acct', SECRET])
      assert.match(stdout, /Received Accounting-Response/, log)
    },
    async signIn({ name, password }, outer) {
      const file = at('client.conf')
      const lines = ['ssid="school"', 'key_mgmt=WPA-EAP', 'eap=TTLS', 'phase2="auth=PAP"', `identity="${name}"`]
      writeFileSync(
        file,
        `network={\n${[...lines, `anonymous_identity="${outer}"`, `password="${password}"`].join('\n')}\n}\n`,
      )
      const { stdout } = await run('eapol_test', ['-c', file, '-a', '127.0.0.1', '-s', SECRET, '-t', '20'])
      const [, value = assert.fail(`no Class in ${stdout}`)] =
        /Attribute 25 \(Class\).*\n\s+Value: ([0-9a-f]+)/.exec(stdout) ?? []
      return { class: value, output: stdout }
    },
  }
}

/** The configuration in docs/phones.md, in its order. */
function documentedBlocks(): readonly string[] {
  const guide = readFileSync(new URL('../../docs/phones.md', import.meta.url), 'utf8')
  const blocks = Array.from(guide.matchAll(/^```text\n(.*?)^```$/gms), ([, block = '']) => block)
  assert.equal(blocks.length, 4)
  return blocks
}
