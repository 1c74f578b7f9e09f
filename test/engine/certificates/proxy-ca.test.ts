// The proxy's CA: what clients that trust only the interception CA accept below it, its renewals, and older CAs.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { pino } from 'pino'
import { createPublish } from '../../../src/engine/certificates/republish.ts'
import { rotateCa } from '../../../src/engine/certificates/rotate.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { skipWithoutCertutil, skipWithoutOpenssl } from '../../support/requirement.ts'
import { DAY_MS, startPublishing } from '../publishing.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const HOST = 'news.example'

interface Issued {
  /** The paths of PEM files. */
  readonly root: string
  readonly intermediate: string
  readonly leaf: string
  readonly leafKey: string
}

/** Signs with the published file as Squid does: an RSA key, and the extensions that it copies from the site. */
async function issueAsSquid(
  { path }: Awaited<ReturnType<typeof startPublishing>>,
  extensions = [`subjectAltName=DNS:${HOST}`, 'basicConstraints=critical,CA:FALSE', 'extendedKeyUsage=serverAuth'],
): Promise<Issued> {
  await writeFile(path('leaf.cnf'), `${extensions.join('\n')}\n`)
  const openssl = (...options: string[]) => execFileSync('openssl', options, { stdio: 'pipe', timeout: 20_000 })
  const [key, request, leaf, intermediate] = ['leaf.key', 'leaf.csr', 'leaf.crt', 'intermediate.crt'].map(path)
  if (!key || !request || !leaf || !intermediate) throw new Error('no path')
  openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', request, '-subj', `/CN=${HOST}`)
  const ca = ['-CA', path('bump/ca.pem'), '-CAkey', path('bump/ca.pem')]
  openssl(
    'x509',
    '-req',
    '-in',
    request,
    ...ca,
    '-set_serial',
    '7',
    '-days',
    '9',
    '-extfile',
    path('leaf.cnf'),
    '-out',
    leaf,
  )
  openssl('x509', '-in', path('bump/ca.pem'), '-out', intermediate)
  return { root: path('ca/ca.crt'), intermediate, leaf, leafKey: key }
}

function verify({ root, leaf }: Issued, ...options: string[]) {
  const { status, stdout, stderr } = spawnSync('openssl', ['verify', '-x509_strict', '-CAfile', root, ...options, leaf])
  return { isGood: status === 0, message: `${stdout}${stderr}` }
}

test('OpenSSL verifies root, intermediate and leaf, as a server only, and no further CA', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const publishing = await startPublishing(t)
  await publishing.publish()
  const issued = await issueAsSquid(publishing)
  const chain = ['-untrusted', issued.intermediate]
  const asServer = verify(issued, ...chain, '-purpose', 'sslserver', '-verify_hostname', HOST)
  assert.ok(asServer.isGood, asServer.message)
  assert.match(verify(issued, '-purpose', 'sslserver').message, /unable to get local issuer certificate/)
  assert.match(verify(issued, ...chain, '-purpose', 'sslclient').message, /unsuitable certificate purpose/)

  const further = await issueAsSquid(publishing, [
    'basicConstraints=critical,CA:TRUE',
    'keyUsage=critical,keyCertSign',
    'subjectKeyIdentifier=hash',
    'authorityKeyIdentifier=keyid',
  ])
  const leaf = makeCertificate({
    subject: `/CN=${HOST}`,
    notBefore: Math.floor(Date.now() / 1000) - 60,
    notAfter: Math.floor(Date.now() / 1000) + 86_400,
    issuer: { certificate: await publishing.read('leaf.crt'), key: await publishing.read('leaf.key') },
    extensions: [`subjectAltName=DNS:${HOST}`],
  })
  await writeFile(publishing.path('below.crt'), leaf.certificate)
  const below = verify({ ...further, leaf: publishing.path('below.crt') }, ...chain, '-untrusted', further.leaf)
  assert.match(below.message, /path length constraint exceeded/)
})

test('a TLS client that trusts only the root accepts leaf and intermediate, and no other client does', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const publishing = await startPublishing(t)
  await publishing.publish()
  const { intermediate } = await issueAsSquid(publishing)
  const { read } = publishing
  const [leaf, key, chain, ca] = await Promise.all(['leaf.crt', 'leaf.key', 'intermediate.crt', 'ca/ca.crt'].map(read))
  assert.ok(leaf && key && chain && ca && intermediate)
  const handshake = async (cert: string, trusted: string) => {
    const server = createServer({ cert, key }).listen(0, '127.0.0.1')
    server.on('tlsClientError', () => {})
    await once(server, 'listening')
    const socket = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      servername: HOST,
      ca: trusted,
    })
    const outcome = await once(socket, 'secureConnect').then(
      () => 'trusted',
      (error: NodeJS.ErrnoException) => error.code,
    )
    socket.destroy()
    server.close()
    return outcome
  }
  assert.equal(await handshake(leaf + chain, ca), 'trusted')
  assert.equal(await handshake(leaf, ca), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  const other = await startPublishing(t)
  await other.publish()
  assert.notEqual(await handshake(leaf + chain, await other.read('ca/ca.crt')), 'trusted')
})

test('NSS, which Firefox and Chromium use, accepts the chain', {
  skip: skipWithoutOpenssl || skipWithoutCertutil,
}, async (t) => {
  const publishing = await startPublishing(t)
  await publishing.publish()
  const { root, intermediate, leaf } = await issueAsSquid(publishing)
  const store = publishing.path('nss')
  await mkdir(store)
  const certutil = (...options: string[]) =>
    execFileSync('certutil', ['-d', `sql:${store}`, ...options], { stdio: 'pipe' })
  certutil('-N', '--empty-password')
  certutil('-A', '-n', 'root', '-t', 'C,,', '-i', root)
  certutil('-A', '-n', 'intermediate', '-t', ',,', '-i', intermediate)
  certutil('-A', '-n', 'leaf', '-t', ',,', '-i', leaf)
  assert.match(certutil('-V', '-n', 'leaf', '-u', 'V', '-e').toString(), /certificate is valid/)
  certutil('-D', '-n', 'root')
  assert.throws(() => certutil('-V', '-n', 'leaf', '-u', 'V', '-e'))
})

test('it is for server certificates, allows no CA below it, and is valid for 30 days', async (t) => {
  const { read, publish } = await startPublishing(t)
  await publish()
  const text = await read('bump/ca.pem')
  assert.match(
    text,
    /^-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n$/,
  )
  const root = new X509Certificate(await read('ca/ca.crt'))
  const ca = new X509Certificate(text)
  assert.ok(ca.ca && ca.checkIssued(root) && ca.verify(root.publicKey) && ca.checkPrivateKey(createPrivateKey(text)))
  assert.deepEqual(ca.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  const hex = ca.raw.toString('hex')
  assert.ok(hex.includes('0603551d130101ff040830060101ff020100'), 'critical basic constraints, pathlen 0')
  assert.ok(hex.includes('0603551d0f0101ff040403020204'), 'critical key usage: keyCertSign')
  assert.equal(Math.round((ca.validToDate.getTime() - Date.now()) / DAY_MS), 30)
  assert.match(ca.subject, /^O=Müller .* #1\nCN=Müller .* #1 Proxy CA [0-9a-f]{8}$/)
})

test('it is renewed with a new key and name when a third of its lifetime has passed', async (t) => {
  const { read, publishProxyCa } = await startPublishing(t)
  assert.deepEqual(await publishProxyCa(NOW), { isRenewed: false, problem: undefined })
  const first = await read('bump/ca.pem')
  const root = await read('ca/ca.crt')
  assert.deepEqual(await publishProxyCa(NOW + 9.9 * DAY_MS), { isRenewed: false, problem: undefined })
  assert.equal(await read('bump/ca.pem'), first)
  assert.deepEqual(await publishProxyCa(NOW + 10 * DAY_MS), { isRenewed: true, problem: undefined })
  const second = await read('bump/ca.pem')
  assert.notEqual(second.split('-----BEGIN CERTIFICATE')[0], first.split('-----BEGIN CERTIFICATE')[0])
  assert.notEqual(new X509Certificate(second).subject, new X509Certificate(first).subject)
  assert.ok(new X509Certificate(second).verify(new X509Certificate(root).publicKey))
  assert.equal(await read('ca/ca.crt'), root)
})

test('it does not outlive the root, and is not renewed over and over in the root’s last days', async (t) => {
  const { read, publishProxyCa } = await startPublishing(t)
  await publishProxyCa(NOW)
  const end = new X509Certificate(await read('ca/ca.crt')).validToDate.getTime()
  const expiry = async () => new X509Certificate(await read('bump/ca.pem')).validToDate.getTime()
  assert.ok((await publishProxyCa(end - 12 * DAY_MS)).isRenewed)
  assert.equal(await expiry(), end)
  for (const days of [8, 1, 0.001]) assert.equal((await publishProxyCa(end - days * DAY_MS)).isRenewed, false)
})

test('a rotation covers it: the next CA issues it from its day on, and the previous one stays valid below the old root', async (t) => {
  const { folder, read, publishProxyCa } = await startPublishing(t)
  await publishProxyCa(NOW)
  const [root, first] = [new X509Certificate(await read('ca/ca.crt')), await read('bump/ca.pem')]
  await rotateCa({ folder, organisation: 'Northwind' }, 9, NOW)
  const next = new X509Certificate(await read('ca/ca-next.crt'))
  assert.equal((await publishProxyCa(NOW + 9 * DAY_MS - 1)).isRenewed, false)
  assert.equal(await read('bump/ca.pem'), first)
  const { isRenewed } = await publishProxyCa(NOW + 9 * DAY_MS)
  assert.ok(isRenewed)
  const second = new X509Certificate(await read('bump/ca.pem'))
  assert.ok(second.verify(next.publicKey) && second.validFromDate >= next.validFromDate)
  const previous = new X509Certificate(first)
  assert.ok(previous.verify(root.publicKey) && previous.validToDate.getTime() > NOW + 19 * DAY_MS)
})

/** A folder as an engine up to 2026.48 left it: its root has path length 0. */
async function withOlderRoot(t: TestContext) {
  const publishing = await startPublishing(t)
  await publishing.publish({ clock: () => NOW })
  const { certificate, key } = makeCertificate({
    notBefore: NOW / 1000 - 3600,
    notAfter: NOW / 1000 + 3652 * 86_400,
    extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign,cRLSign'],
  })
  await writeFile(publishing.path('ca/ca.crt'), certificate)
  await writeFile(publishing.path('engine/ca.key'), key)
  return publishing
}

test('below an older root everything else is published, and the log says once how to rotate', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const { folder, path, read, publishProxyCa } = await withOlderRoot(t)
  await rm(path('bump'), { recursive: true })
  const warnings: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => warnings.push(JSON.parse(line).msg) })
  let now = NOW
  const publish = createPublish(
    { folder, organisation: 'Northwind', portalHost: HOST, controlNames: [], clock: () => now },
    log,
  )
  await publish()
  await publish()
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0] ?? '',
    /issued by an earlier version and allows no CA below it, .*bump\/ca\.pem is not published; rotate it with --rotate-ca DAYS/,
  )
  assert.ok(!(await readdir(folder)).includes('bump'))
  const root = new X509Certificate(await read('ca/ca.crt'))
  assert.ok(new X509Certificate(await read('terminator/portal.crt')).verify(root.publicKey))

  await rotateCa({ folder, organisation: 'Northwind' }, 30, NOW)
  now += 30 * DAY_MS
  await publish()
  assert.equal(warnings.length, 1)
  assert.ok(
    new X509Certificate(await read('bump/ca.pem')).verify(new X509Certificate(await read('ca/ca.crt')).publicKey),
  )
  assert.equal((await publishProxyCa(now)).problem, undefined)
})

test('a renewal is logged with what the proxy must do', async (t) => {
  const { folder } = await startPublishing(t)
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line).msg) })
  let now = NOW
  const publish = createPublish(
    { folder, organisation: 'A', portalHost: HOST, controlNames: [], clock: () => now },
    log,
  )
  await publish()
  assert.deepEqual(lines, [])
  now += 10 * DAY_MS
  await publish()
  assert.match(lines.join(), /^renewed the proxy's CA: .*squid -k reconfigure/)
})
