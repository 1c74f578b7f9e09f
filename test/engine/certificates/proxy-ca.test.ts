// The proxy's CA: what clients that trust only the interception CA accept below it, its renewals, and older CAs.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createPublish } from '../../../src/engine/certificates/republish.ts'
import { rotateCa } from '../../../src/engine/certificates/rotate.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { skipWithoutCertutil, skipWithoutOpenssl } from '../../support/requirement.ts'
import { DAY_MS, startPublishing } from '../publishing.ts'
import { recordLog } from '../recorded-log.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const HOST = 'news.example'
const LEAF = [`subjectAltName=DNS:${HOST}`, 'basicConstraints=critical,CA:FALSE', 'extendedKeyUsage=serverAuth']
const unchanged = { isRenewed: false, problem: undefined }
const run = (program: string, ...options: string[]) =>
  execFileSync(program, options, { stdio: 'pipe', timeout: 20_000 })

/** Signs with the published file as Squid does: an RSA key, and the extensions that it copies from the site. @returns paths */
async function issueAsSquid({ path }: Awaited<ReturnType<typeof startPublishing>>, extensions = LEAF) {
  const [key, request, leaf, intermediate] = [path('leaf.key'), path('leaf.csr'), path('leaf.crt'), path('bump.crt')]
  const ca = path('bump/ca.pem')
  await writeFile(path('leaf.cnf'), `${extensions.join('\n')}\n`)
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', request, '-subj', `/CN=${HOST}`]
  run('openssl', 'req', '-new', ...made)
  const signed = ['-CA', ca, '-CAkey', ca, '-set_serial', '7', '-days', '9', '-extfile', path('leaf.cnf'), '-out', leaf]
  run('openssl', 'x509', '-req', '-in', request, ...signed)
  run('openssl', 'x509', '-in', ca, '-out', intermediate)
  return { root: path('ca/ca.crt'), intermediate, leaf }
}

test('OpenSSL verifies root, intermediate and leaf, as a server only, and no further CA', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const publishing = await startPublishing(t)
  await publishing.publish()
  const { root, intermediate, leaf } = await issueAsSquid(publishing)
  const verify = (file: string, ...options: string[]) => {
    const words = ['verify', '-x509_strict', '-CAfile', root, ...options, file]
    const { stdout, stderr } = spawnSync('openssl', words, { encoding: 'utf8' })
    return `${stdout}${stderr}`
  }
  const chain = ['-untrusted', intermediate]
  assert.equal(verify(leaf, ...chain, '-purpose', 'sslserver', '-verify_hostname', HOST), `${leaf}: OK\n`)
  assert.match(verify(leaf, '-purpose', 'sslserver'), /unable to get local issuer certificate/)
  assert.match(verify(leaf, ...chain, '-purpose', 'sslclient'), /unsuitable certificate purpose/)

  const identifiers = ['subjectKeyIdentifier=hash', 'authorityKeyIdentifier=keyid']
  await issueAsSquid(publishing, ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign', ...identifiers])
  const below = makeCertificate({
    subject: `/CN=${HOST}`,
    notBefore: Math.floor(Date.now() / 1000) - 60,
    notAfter: Math.floor(Date.now() / 1000) + 86_400,
    issuer: { certificate: await publishing.read('leaf.crt'), key: await publishing.read('leaf.key') },
    extensions: [`subjectAltName=DNS:${HOST}`],
  })
  await writeFile(publishing.path('below.crt'), below.certificate)
  assert.match(verify(publishing.path('below.crt'), ...chain, '-untrusted', leaf), /path length constraint exceeded/)
})

test('NSS, which Firefox and Chromium use, accepts the chain', {
  skip: skipWithoutOpenssl || skipWithoutCertutil,
}, async (t) => {
  const publishing = await startPublishing(t)
  await publishing.publish()
  const { root, intermediate, leaf } = await issueAsSquid(publishing)
  const store = publishing.path('nss')
  await mkdir(store)
  const certutil = (...options: string[]) => run('certutil', '-d', `sql:${store}`, ...options).toString()
  certutil('-N', '--empty-password')
  certutil('-A', '-n', 'root', '-t', 'C,,', '-i', root)
  certutil('-A', '-n', 'intermediate', '-t', ',,', '-i', intermediate)
  certutil('-A', '-n', 'leaf', '-t', ',,', '-i', leaf)
  assert.match(certutil('-V', '-n', 'leaf', '-u', 'V', '-e'), /certificate is valid/)
  certutil('-D', '-n', 'root')
  assert.throws(() => certutil('-V', '-n', 'leaf', '-u', 'V', '-e'))
})

test('it is for server certificates, and renewed with a new key when a third of its 30 days has passed', async (t) => {
  const { read, publishProxyCa } = await startPublishing(t)
  assert.deepEqual(await publishProxyCa(NOW), unchanged)
  const text = await read('bump/ca.pem')
  const pem = (what: string) => `-----BEGIN ${what}-----[^-]+-----END ${what}-----\n`
  assert.match(text, new RegExp(`^${pem('PRIVATE KEY')}${pem('CERTIFICATE')}$`))
  const rootText = await read('ca/ca.crt')
  const [root, ca] = [new X509Certificate(rootText), new X509Certificate(text)]
  assert.ok(ca.ca && ca.checkIssued(root) && ca.verify(root.publicKey) && ca.checkPrivateKey(createPrivateKey(text)))
  assert.deepEqual(ca.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  // Below its root, which allows no more, OpenSSL would not notice another one.
  const hex = ca.raw.toString('hex')
  assert.ok(hex.includes('0603551d130101ff040830060101ff020100'), 'critical basic constraints, path length 0')
  assert.ok(hex.includes('0603551d0f0101ff040403020204'), 'critical key usage: keyCertSign')
  assert.equal(Math.round((ca.validToDate.getTime() - NOW) / DAY_MS), 30)
  assert.match(ca.subject, /^O=Müller .* #1\nCN=Müller .* #1 Proxy CA [0-9a-f]{8}$/)

  assert.deepEqual(await publishProxyCa(NOW + 9.9 * DAY_MS), unchanged)
  assert.equal(await read('bump/ca.pem'), text)
  assert.deepEqual(await publishProxyCa(NOW + 10 * DAY_MS), { isRenewed: true, problem: undefined })
  const renewed = new X509Certificate(await read('bump/ca.pem'))
  assert.ok(!renewed.checkPrivateKey(createPrivateKey(text)) && renewed.subject !== ca.subject)
  assert.ok(renewed.verify(root.publicKey))
  assert.equal(await read('ca/ca.crt'), rootText)
})

test('it does not outlive the root, and is not renewed over and over in the root’s last days', async (t) => {
  const { read, publishProxyCa } = await startPublishing(t)
  await publishProxyCa(NOW)
  const end = new X509Certificate(await read('ca/ca.crt')).validToDate.getTime()
  assert.ok((await publishProxyCa(end - 12 * DAY_MS)).isRenewed)
  assert.equal(new X509Certificate(await read('bump/ca.pem')).validToDate.getTime(), end)
  for (const days of [8, 1, 0.001]) assert.equal((await publishProxyCa(end - days * DAY_MS)).isRenewed, false)
})

test('a rotation covers it: the next CA issues it from its day on, and the previous one stays valid below the old root', async (t) => {
  const { folder, read, publishProxyCa } = await startPublishing(t)
  await publishProxyCa(NOW)
  const [root, first] = [new X509Certificate(await read('ca/ca.crt')), await read('bump/ca.pem')]
  await rotateCa({ folder, organisation: 'Northwind' }, 9, NOW)
  const next = new X509Certificate(await read('ca/ca-next.crt'))
  assert.deepEqual(await publishProxyCa(NOW + 9 * DAY_MS - 1), unchanged)
  assert.equal(await read('bump/ca.pem'), first)
  assert.ok((await publishProxyCa(NOW + 9 * DAY_MS)).isRenewed)
  const second = new X509Certificate(await read('bump/ca.pem'))
  assert.ok(second.verify(next.publicKey) && second.validFromDate >= next.validFromDate)
  const previous = new X509Certificate(first)
  assert.ok(previous.verify(root.publicKey) && previous.validToDate.getTime() > NOW + 19 * DAY_MS)
})

test('a renewal is logged, and below a root of an earlier version, once, how to rotate it', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const { folder, path, read, publish: publishNow } = await startPublishing(t)
  const { log, messages } = recordLog()
  let now = NOW
  const names = { organisation: 'Northwind', portalHost: HOST, controlNames: [] }
  const publish = createPublish({ folder, ...names, clock: () => now }, log)
  await publish()
  assert.deepEqual(messages(), [])
  now += 10 * DAY_MS
  await publish()
  assert.match(`${messages()}`, /^renewed the proxy's CA: .*squid -k reconfigure/)

  // Up to 2026.48 the root had path length 0.
  const older = makeCertificate({
    notBefore: NOW / 1000 - 3600,
    notAfter: NOW / 1000 + 3652 * 86_400,
    extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign,cRLSign'],
  })
  await writeFile(path('ca/ca.crt'), older.certificate)
  await writeFile(path('engine/ca.key'), older.key)
  await rm(path('bump'), { recursive: true })
  await publish()
  await publish()
  const [, ...warnings] = messages()
  assert.match(
    `${warnings}`,
    /issued by an earlier version and allows no CA below it, .*bump\/ca\.pem is not published; rotate it with --rotate-ca DAYS/,
  )
  assert.equal(warnings.length, 1)
  assert.ok(!(await readdir(folder)).includes('bump'))
  const root = new X509Certificate(older.certificate)
  assert.ok(new X509Certificate(await read('terminator/portal.crt')).verify(root.publicKey))
  await rotateCa({ folder, organisation: 'Northwind' }, 30, now)
  await publishNow({ clock: () => now + 30 * DAY_MS })
  const rotated = new X509Certificate(await read('ca/ca.crt'))
  assert.ok(new X509Certificate(await read('bump/ca.pem')).verify(rotated.publicKey))
})
