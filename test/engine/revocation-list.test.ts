// The revocation list, for clients that want one: OpenSSL finds it by the leaf alone, and takes it.
// @peculiar/x509 wants it before it loads.
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as x509 from '@peculiar/x509'
import { crlUrlOf } from '../../src/engine/certificates/issue.ts'
import { rotateCa } from '../../src/engine/certificates/rotate.ts'
import { startListServer } from '../support/list-server.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { DAY_MS, startPublishing } from './publishing.ts'
import { policy } from './running-engine.ts'

const CRL_URL = 'http://pki.example/gateway.crl'
const NOW = Date.UTC(2026, 10, 21, 12)

async function startListing(t: TestContext) {
  const publishing = await startPublishing(t)
  const { path, read, publish } = publishing
  return {
    ...publishing,
    bytes: () => readFile(path('revocation/ca.crl')),
    list: async () => new x509.X509Crl(await readFile(path('revocation/ca.crl'))),
    leaf: async () => new X509Certificate(await read('terminator/portal.crt')),
    publishAt: (now: number, crlUrl?: string) => publish({ crlUrl, clock: () => now }),
    /** What `openssl verify` says of the leaf. */
    async verify(...options: readonly string[]) {
      const parameters = ['verify', '-CAfile', path('ca/ca.crt'), ...options, path('terminator/portal.crt')]
      const { stdout, stderr } = await promisify(execFile)('openssl', parameters).catch((failed) => failed)
      return `${stdout}${stderr}`
    },
  }
}

test('OpenSSL follows the leaf to the list, and takes it', { skip: skipWithoutOpenssl }, async (t) => {
  const { path, publish, verify } = await startListing(t)
  const crlUrl = await startListServer(t, () => path('revocation/ca.crl'))
  await publish({ crlUrl })
  assert.match(await verify('-crl_check', '-crl_download'), /portal\.crt: OK$/m)
  assert.match(await verify('-crl_check', '-CRLfile', path('revocation/ca.crl')), /portal\.crt: OK$/m)
  assert.match(await verify('-crl_check'), /unable to get certificate CRL/, 'without a list it would fail')

  const shown = [
    'crl',
    '-inform',
    'DER',
    '-in',
    path('revocation/ca.crl'),
    '-CAfile',
    path('ca/ca.crt'),
    '-noout',
    '-text',
  ]
  const { stdout, stderr } = await promisify(execFile)('openssl', shown)
  assert.match(stderr, /^verify OK$/m)
  assert.match(stdout, /Version 2 /)
  assert.match(stdout, /X509v3 CRL Number: *\n *\d/)
  assert.match(stdout, /^No Revoked Certificates\.$/m)
  const { stdout: ca } = await promisify(execFile)('openssl', ['x509', '-in', path('ca/ca.crt'), '-noout', '-text'])
  const keyIdentifier = (text: string, name: string) =>
    new RegExp(`${name} Key Identifier: *\\n *(\\S+)`).exec(text)?.[1]
  assert.ok(keyIdentifier(ca, 'Subject'))
  assert.equal(keyIdentifier(stdout, 'Authority'), keyIdentifier(ca, 'Subject'))
})

test('it is everybody’s to read, and its issuer is the CA, byte for byte', async (t) => {
  const { path, read, bytes, publishAt } = await startListing(t)
  await publishAt(NOW, CRL_URL)
  assert.equal((await stat(path('revocation'))).mode & 0o777, 0o755)
  assert.equal((await stat(path('revocation/ca.crl'))).mode & 0o777, 0o644)
  // Windows compares bytes, OpenSSL compares letters.
  const name = Buffer.from(new x509.X509Certificate(await read('ca/ca.crt')).subjectName.toArrayBuffer())
  for (const holder of [new X509Certificate(await read('ca/ca.crt')).raw, await bytes()]) {
    assert.ok(holder.includes(name))
  }
})

test('without an address there is no list, and the leaf names none', async (t) => {
  const { path, leaf, publishAt } = await startListing(t)
  await publishAt(NOW)
  assert.equal(existsSync(path('revocation')), false)
  assert.equal(crlUrlOf(await leaf()), undefined)
})

test('another address, the first and none make the certificates anew; the same one does not', async (t) => {
  const { leaf, publish, publishAt } = await startListing(t)
  let control = await publishAt(NOW)
  let { serialNumber } = await leaf()
  for (const crlUrl of [CRL_URL, 'http://pki.example/other.crl', undefined]) {
    const presented: string[] = []
    const api = { certificate: control, present: ({ cert }: typeof control) => presented.push(cert) }
    control = await publish({ crlUrl, clock: () => NOW }, api)
    assert.equal(crlUrlOf(await leaf()), crlUrl)
    assert.notEqual((await leaf()).serialNumber, serialNumber)
    assert.deepEqual(
      presented.map((cert) => crlUrlOf(new X509Certificate(cert))),
      [crlUrl],
    )
    serialNumber = (await leaf()).serialNumber
    await publishAt(NOW + 60_000, crlUrl)
    assert.equal((await leaf()).serialNumber, serialNumber)
  }
})

test('a list is good for seven days, and a day later there is the next one', async (t) => {
  const { list, bytes, leaf, publishAt } = await startListing(t)
  await publishAt(NOW, CRL_URL)
  const first = await bytes()
  const { serialNumber } = await leaf()
  assert.equal((await list()).thisUpdate.getTime(), NOW - 3_600_000, 'an hour earlier, for slow clocks')
  assert.equal((await list()).nextUpdate?.getTime(), NOW + 7 * DAY_MS)
  await publishAt(NOW + DAY_MS - 1, CRL_URL)
  assert.deepEqual(await bytes(), first)
  const number = async () =>
    Buffer.from((await list()).getExtension('2.5.29.20')?.value ?? new ArrayBuffer()).toString('hex')
  const before = await number()
  await publishAt(NOW + DAY_MS, CRL_URL)
  assert.equal((await list()).nextUpdate?.getTime(), NOW + 8 * DAY_MS)
  assert.match(before, /^0206[0-7]/, 'a positive integer, of as many bytes as it needs')
  assert.ok(before < (await number()))
  assert.equal((await leaf()).serialNumber, serialNumber, 'the leaf stays')
})

test('a list that is gone, broken, from the future or another CA’s is made anew', async (t) => {
  const { path, list, bytes, publishAt } = await startListing(t)
  const foreign = await startListing(t)
  await foreign.publishAt(NOW, CRL_URL)
  await publishAt(NOW, CRL_URL)
  const whole = await bytes()
  const faults: Readonly<Record<string, () => Promise<unknown>>> = {
    gone: () => rm(path('revocation/ca.crl')),
    empty: () => writeFile(path('revocation/ca.crl'), ''),
    garbage: () => writeFile(path('revocation/ca.crl'), 'garbage'),
    torn: () => writeFile(path('revocation/ca.crl'), whole.subarray(0, 100)),
    'another CA’s': async () => writeFile(path('revocation/ca.crl'), await foreign.bytes()),
    'from the future': () => publishAt(NOW + 30 * DAY_MS, CRL_URL),
  }
  for (const [name, breakIt] of Object.entries(faults)) {
    await breakIt()
    await publishAt(NOW, CRL_URL)
    assert.equal((await list()).nextUpdate?.getTime(), NOW + 7 * DAY_MS, name)
    assert.ok(
      await (await list()).verify({ publicKey: new x509.X509Certificate(await readFile(path('ca/ca.crt'))) }),
      name,
    )
  }
})

test('the CA that follows brings its own list', { skip: skipWithoutOpenssl }, async (t) => {
  const { folder, path, bytes, publishAt, verify } = await startListing(t)
  const now = Date.now()
  await publishAt(now, CRL_URL)
  const first = await bytes()
  await rotateCa({ folder, organisation: 'Northwind' }, 0, now)
  assert.deepEqual(await bytes(), first, 'not before its day')
  await publishAt(now, CRL_URL)
  assert.match(await verify('-crl_check', '-CRLfile', path('revocation/ca.crl')), /portal\.crt: OK$/m)
})

test('the program reads the address from its file', { timeout: 30_000 }, async (t) => {
  const { folder, path, leaf } = await startListing(t)
  await writeFile(path('policy.toml'), policy(`crl_url = "${CRL_URL}"`))
  const main = fileURLToPath(new URL('../../src/engine/main.ts', import.meta.url))
  const options = ['--config', path('policy.toml'), '--publish', folder, '--listen', '127.0.0.1:0']
  const engine = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => engine.kill('SIGKILL'))
  await once(engine.stdout, 'data')
  assert.equal(crlUrlOf(await leaf()), CRL_URL)
  assert.ok(existsSync(path('revocation/ca.crl')))
  engine.kill('SIGKILL')
  await once(engine, 'close')
})
