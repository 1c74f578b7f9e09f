// An engine with role "reader" uses what another engine issues: it waits for it, follows it, and issues nothing.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { ControlCertificate } from '../../../src/engine/certificates/publish.ts'
import { followIssuer, waitForIssuer } from '../../../src/engine/certificates/reader.ts'
import { rotateCa } from '../../../src/engine/certificates/rotate.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { SECRET } from '../../support/payloads.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { DAY_MS, startPublishing } from '../publishing.ts'
import { recordLog } from '../recorded-log.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const INTERVAL_MS = 5

test('it waits, says why once each time that changes, and needs nothing but control.pem', {
  timeout: 20_000,
}, async (t) => {
  const issuer = await startPublishing(t)
  await issuer.publish({ clock: () => NOW })
  const folder = temporaryFolder(t)
  const path = join(folder, 'control', 'control.pem')
  const { log, messages } = recordLog()
  let now = NOW + 91 * DAY_MS
  const found = waitForIssuer({ folder, controlNames: [], clock: () => now }, log, INTERVAL_MS)
  const said = (reason: RegExp) => until(() => reason.test(messages().at(-1) ?? ''))
  await said(/^waiting for the engine with certificates\.role = "issuer": \S+control\.pem does not exist$/)
  await mkdir(join(folder, 'control'))
  const text = await issuer.read('control/control.pem')
  await writeFile(path, text.slice(0, 200))
  await said(/does not hold a private key and its certificate$/)
  await rm(path)
  await mkdir(path)
  await said(/is not a file with a key and its certificate$/)
  await rm(path, { recursive: true })
  await cp(issuer.path('control/control.pem'), path)
  await said(/is not valid at this time$/)
  now = NOW
  const { cert } = await found
  assert.equal(cert, text.slice(text.indexOf('-----BEGIN CERTIFICATE')))
  assert.ok(messages().length <= 6, messages().join('\n'))
  assert.deepEqual(await readdir(folder), ['control'])
})

test('it follows renewals and rotations, keeps what it has during faults, and changes no file', {
  timeout: 20_000,
}, async (t) => {
  const { folder, path, publish, read } = await startPublishing(t)
  let now = NOW
  const clock = () => now
  await publish({ clock })
  const { log, messages } = recordLog()
  let certificate = await waitForIssuer({ folder, controlNames: [], clock }, log, INTERVAL_MS)
  const control = {
    get certificate() {
      return certificate
    },
    useCertificate(read: ControlCertificate) {
      certificate = read
    },
  }
  const stop = followIssuer(
    { folder, controlNames: ['engine-2.internal', 'localhost'], clock },
    control,
    log,
    INTERVAL_MS,
  )
  t.after(stop)
  const first = certificate.cert
  now += 61 * DAY_MS
  await publish({ clock })
  await until(() => certificate.cert !== first)
  assert.ok(messages().includes("using the control API's renewed certificate"))
  assert.ok(
    messages().includes("the issuer's certificate lacks engine-2.internal: add it to control.hostnames of the issuer"),
  )

  await rotateCa({ folder, organisation: 'Northwind' }, 1, now)
  const next = new X509Certificate(await read('ca/ca-next.crt'))
  const renewed = certificate.cert
  now += DAY_MS - 60_000
  await publish({ clock })
  await until(() => certificate.cert !== renewed)
  assert.ok(new X509Certificate(certificate.cert).verify(next.publicKey), 'before the CA becomes ca.crt')

  const { cert } = certificate
  await rm(path('control/control.pem'))
  await until(() => messages().some((message) => /control\.pem does not exist; the present .* stays/.test(message)))
  assert.equal(certificate.cert, cert)
  await writeFile(path('control/control.pem'), 'garbage')
  const before = await snapshot(folder)
  await until(() => messages().some((message) => /does not hold a private key and its certificate; /.test(message)))
  assert.equal(await snapshot(folder), before)
  assert.equal(certificate.cert, cert)
})

/** Without `proxy`, into which every engine publishes, the copy of its policy, and their changes of the folders above. */
async function snapshot(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => !/^(proxy\b|engine$|engine\/accepted-)/.test(name))
    .toSorted()
  const lines = names.map(async (name) => `${name} ${(await stat(join(folder, name))).ctimeMs}`)
  return (await Promise.all(lines)).join('\n')
}

test('as a process: it starts before the issuer, not ready, serves and renews with the issuer’s certificate, does not rotate', {
  timeout: 30_000,
}, async (t) => {
  const { folder, path, publish, read } = await startPublishing(t)
  const source = (name: string) => fileURLToPath(new URL(`../../../src/engine/${name}`, import.meta.url))
  await writeFile(path('secret'), SECRET)
  const sample = await readFile(source('sample-policy.toml'), 'utf8')
  const own = temporaryFolder(t)
  const state = `[state]\nurl = "sqlite:///${own}/state.db"\nkey_file = "${own}/state.key"`
  const inspection = '[inspection]\nexempt_defaults = false\nexempt = ["reader.example"]'
  await writeFile(
    path('policy.toml'),
    sample
      .replace('[inspection]\nexempt = ["bank.example"]', inspection)
      .replace('[certificates]', `${state}\n[certificates]\nrole = "reader"`),
  )
  const start = (...options: string[]) => {
    const files = ['--config', path('policy.toml'), '--publish', folder, '--secret-file', path('secret')]
    files.push('--api-token-file', path('secret'))
    const child = spawn(process.execPath, [source('main.ts'), ...files, '--listen', '127.0.0.1:0', ...options], {
      env: COMPILE_CACHE,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    const output = { text: '' }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output.text += chunk))
    return { child, output }
  }
  const listeners = ['--icap', '127.0.0.1:0', '--icap-tls', '--icap-token-file', path('secret'), '--ops', '127.0.0.1:0']
  const reader = start(...listeners)
  await until(() => /waiting for the engine with certificates\.role/.test(reader.output.text))
  const [, operations] = /operations listener on (http:[^"]+)"/.exec(reader.output.text) ?? []
  const ask = async (path: string) => {
    const response = await fetch(new URL(path, operations))
    const { checks } = (await response.json()) as { checks?: { certificates: { state: string } } }
    return [response.status, checks?.certificates.state]
  }
  assert.deepEqual(
    [await ask('/healthz'), await ask('/readyz')],
    [
      [200, undefined],
      [503, 'failing'],
    ],
  )
  assert.deepEqual((await readdir(folder)).toSorted(), ['policy.toml', 'secret'])
  await publish()
  const before = await snapshot(folder)
  await until(() => /"listening on icaps:/.test(reader.output.text))
  const served = async (scheme: 'https' | 'icaps') => {
    const port = Number(new RegExp(`listening on ${scheme}://127\\.0\\.0\\.1:(\\d+)`).exec(reader.output.text)?.[1])
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: await read('ca/ca.crt') })
    await once(socket, 'secureConnect')
    const certificate = `${socket.getPeerX509Certificate()}`
    socket.destroy()
    return certificate
  }
  const present = async () => `${new X509Certificate(await read('control/control.pem'))}`
  for (const scheme of ['https', 'icaps'] as const) assert.equal(await served(scheme), await present(), scheme)

  assert.equal(await read('proxy/exempt-hosts'), 'reader.example\n')
  assert.equal(`${await read('engine/accepted-reader-policy.toml')}`, `${await read('policy.toml')}`)

  const rotation = start('--rotate-ca', '30')
  const [status] = await once(rotation.child, 'close')
  assert.equal(status, 1)
  assert.match(
    rotation.output.text,
    /^This engine reads its certificates \(certificates\.role\): rotate the CA where they are issued\n$/,
  )
  assert.equal(await snapshot(folder), before)

  await publish({ controlNames: ['engine-2.internal'] })
  await until(() => /using the control API's renewed certificate/.test(reader.output.text))
  for (const scheme of ['https', 'icaps'] as const) assert.equal(await served(scheme), await present(), scheme)
  reader.child.kill('SIGTERM')
  assert.deepEqual(await once(reader.child, 'close'), [0, null])
})
