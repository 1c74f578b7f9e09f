import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { UnusableCa } from '../../../src/engine/certificates/ca.ts'
import { rotateCa } from '../../../src/engine/certificates/rotate.ts'
import { startControlServer } from '../../../src/engine/control-api/server.ts'
import { DAY_MS, startPublishing } from '../publishing.ts'

test('a folder for each: portal, terminator, proxy, other engines, and the CA key for the engine alone', async (t) => {
  const { path, publish } = await startPublishing(t)
  const umask = process.umask(0o077)
  t.after(() => process.umask(umask))
  await publish()
  const modes: Record<string, string> = {}
  for (const name of await readdir(path(''), { recursive: true })) {
    modes[name] = ((await stat(path(name))).mode & 0o777).toString(8)
  }
  assert.deepEqual(modes, {
    ca: '755',
    'ca/ca.crt': '644',
    terminator: '755',
    'terminator/portal.crt': '644',
    'terminator/portal.key': '600',
    bump: '700',
    'bump/ca.pem': '640',
    control: '700',
    'control/control.pem': '600',
    engine: '700',
    'engine/ca.key': '600',
  })
})

test('a root’s key is in no file outside the engine’s folder, during a rotation neither', async (t) => {
  const { folder, read, publish } = await startPublishing(t)
  await publish()
  await rotateCa({ folder, organisation: 'Northwind' }, 30, Date.now())
  const keys = await Promise.all(['engine/ca.key', 'engine/ca-next.key'].map(read))
  await publish({ clock: () => Date.now() + 30 * DAY_MS })
  const names = (await readdir(folder, { recursive: true })).filter((name) => /^(?!engine).*\./.test(name))
  assert.equal(names.length, 5)
  for (const name of names) {
    const text = await read(name)
    for (const key of keys) assert.ok(!text.includes(key.split('\n')[1] ?? assert.fail()), name)
  }
})

test('with groupReadsKey the key of the leaf has mode 0640, and no other key has', async (t) => {
  const { path, read, publish } = await startPublishing(t)
  const mode = async (name: string) => ((await stat(path(name))).mode & 0o777).toString(8)
  await publish({ groupReadsKey: true })
  assert.equal(await mode('terminator/portal.key'), '640')
  assert.equal(await mode('engine/ca.key'), '600')
  const key = await read('terminator/portal.key')
  await publish()
  assert.equal(await mode('terminator/portal.key'), '600', 'a key that exists follows the setting')
  await publish({ groupReadsKey: true })
  assert.equal(await mode('terminator/portal.key'), '640')
  assert.equal(await read('terminator/portal.key'), key)
})

test('a changed organisation re-issues no CA: only the next one has it', async (t) => {
  const { folder, read, publish } = await startPublishing(t)
  await publish({ organisation: 'Northwind' })
  const before = await Promise.all(['ca/ca.crt', 'engine/ca.key', 'terminator/portal.crt'].map(read))
  await publish({ organisation: 'Southwind' })
  const after = await Promise.all(['ca/ca.crt', 'engine/ca.key', 'terminator/portal.crt'].map(read))
  assert.deepEqual(after, before)
  assert.match(new X509Certificate(before[0] as string).subject, /^O=Northwind\nCN=Northwind Interception CA /)
  await rotateCa({ folder, organisation: 'Southwind' }, 0, Date.now())
  await publish({ organisation: 'Southwind' })
  assert.match(new X509Certificate(await read('ca/ca.crt')).subject, /^O=Southwind\nCN=Southwind Interception CA /)
})

test('the CA is valid for ten years, and the leaf for 90 days, for the portal host, which can be an address', async (t) => {
  const { read, publish } = await startPublishing(t)
  await publish()
  const days = ({ validToDate }: X509Certificate) => Math.round((validToDate.getTime() - Date.now()) / DAY_MS)
  const ca = new X509Certificate(await read('ca/ca.crt'))
  assert.ok(ca.ca && ca.checkIssued(ca) && ca.verify(ca.publicKey))
  assert.deepEqual(ca.publicKey.asymmetricKeyDetails, { namedCurve: 'prime256v1' })
  assert.ok(Math.abs(days(ca) / 365.25 - 10) < 0.1)
  const hex = ca.raw.toString('hex')
  assert.ok(hex.includes('0603551d130101ff040830060101ff020101'), 'critical basic constraints, path length 1')
  assert.ok(hex.includes('0603551d0f0101ff040403020106'), 'critical key usage: keyCertSign, cRLSign')
  assert.ok(hex.includes(Buffer.from('Müller "& Söhne" \\ #1').toString('hex')), 'the organisation, letter by letter')

  const leaf = new X509Certificate(await read('terminator/portal.crt'))
  assert.ok(leaf.checkIssued(ca) && leaf.verify(ca.publicKey))
  assert.ok(leaf.checkPrivateKey(createPrivateKey(await read('terminator/portal.key'))))
  assert.deepEqual([leaf.ca, leaf.subjectAltName, days(leaf)], [false, 'DNS:portal.example', 90])
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  await publish({ portalHost: '[2001:db8::1]' })
  const ofAddress = await read('terminator/portal.crt')
  assert.equal(new X509Certificate(ofAddress).subjectAltName, 'IP Address:2001:DB8:0:0:0:0:0:1')
  await publish({ portalHost: '[2001:db8::1]' })
  assert.equal(await read('terminator/portal.crt'), ofAddress)
})

test('usable files stay; the leaf is renewed for another host, and when a third of its lifetime is left', async (t) => {
  const { read, publish } = await startPublishing(t)
  await publish()
  const ca = await read('ca/ca.crt')
  const key = await read('terminator/portal.key')
  await publish({ portalHost: 'other.example' })
  assert.equal(new X509Certificate(await read('terminator/portal.crt')).subjectAltName, 'DNS:other.example')
  await publish()
  const first = await read('terminator/portal.crt')
  await publish({ clock: () => Date.now() + 59 * DAY_MS })
  assert.equal(await read('terminator/portal.crt'), first)
  await publish({ clock: () => Date.now() + 61 * DAY_MS })
  const second = await read('terminator/portal.crt')
  assert.notEqual(second, first)
  assert.equal(await read('ca/ca.crt'), ca)
  assert.equal(await read('terminator/portal.key'), key, 'a renewal keeps the key, so that the pair always matches')
})

test('an unreadable leaf or key is recreated', async (t) => {
  const { path, read, publish } = await startPublishing(t)
  await publish()
  for (const name of ['terminator/portal.key', 'terminator/portal.crt']) {
    for (const spoil of [() => writeFile(path(name), 'garbage'), () => rm(path(name))]) {
      await spoil()
      await publish()
      const leaf = new X509Certificate(await read('terminator/portal.crt'))
      assert.ok(leaf.checkPrivateKey(createPrivateKey(await read('terminator/portal.key'))))
    }
  }
})

test('the leaf has every name of the portal and no removed one', async (t) => {
  const { read, publish } = await startPublishing(t)
  const leaf = async () => new X509Certificate(await read('terminator/portal.crt'))
  await publish({ portalNames: ['captive.example', '192.0.2.1', 'portal.example'] })
  const { subject, subjectAltName, serialNumber } = await leaf()
  assert.equal(subjectAltName, 'DNS:captive.example, IP Address:192.0.2.1, DNS:portal.example')
  assert.equal(subject, 'CN=captive.example')
  await publish({ portalNames: ['captive.example', '192.0.2.1'] })
  assert.equal((await leaf()).serialNumber, serialNumber)
  await publish({ portalNames: ['captive.example'] })
  assert.equal((await leaf()).subjectAltName, 'DNS:captive.example, DNS:portal.example')
})

test('a CA that cannot be used is reported and never replaced', async (t) => {
  const { path, read, publish } = await startPublishing(t)
  await publish()
  const certificate = await read('ca/ca.crt')
  const key = await read('engine/ca.key')
  const faults: [RegExp, () => Promise<unknown>][] = [
    [/ca\.key is missing$/, () => rm(path('engine/ca.key'))],
    [/ca\.crt is missing$/, () => rm(path('ca/ca.crt'))],
    [/is not a private key$/, () => writeFile(path('engine/ca.key'), 'garbage')],
    [/ do not match$/, async () => writeFile(path('engine/ca.key'), await read('terminator/portal.key'))],
    [/is not a CA certificate$/, () => writeFile(path('ca/ca.crt'), 'garbage')],
    [/is not a CA certificate$/, async () => writeFile(path('ca/ca.crt'), await read('terminator/portal.crt'))],
  ]
  for (const [message, breakIt] of faults) {
    await breakIt()
    const broken = await read('ca/ca.crt').catch(() => 'none')
    await assert.rejects(publish(), (error) => error instanceof UnusableCa && message.test(error.message))
    assert.equal(await read('ca/ca.crt').catch(() => 'none'), broken)
    await writeFile(path('ca/ca.crt'), certificate)
    await writeFile(path('engine/ca.key'), key)
  }
  const inElevenYears = () => Date.now() + 11 * 366 * DAY_MS
  await assert.rejects(publish({ clock: inElevenYears }), /is not valid at this time$/)
  await publish()
})

test('the control API is verified for each of its names with the published CA, and for none without it', async (t) => {
  const { read, publish } = await startPublishing(t)
  const certificate = await publish({ controlNames: ['engine.internal', 'localhost'] })
  const server = await startControlServer({
    certificate,
    host: '127.0.0.1',
    port: 0,
    listener: (_, response) => response.end(),
  })
  t.after(() => server.stop())
  const port = Number(new URL(server.address).port)
  const handshake = async (name: string, ca?: string) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ...(ca && { ca }),
      ...(isIP(name) === 0 && { servername: name }),
    })
    const outcome = once(socket, 'secureConnect').then(
      () => socket.getPeerX509Certificate()?.subjectAltName ?? 'connected',
      (error: NodeJS.ErrnoException) => String(error.code),
    )
    return await outcome.finally(() => socket.destroy())
  }
  const ca = await read('ca/ca.crt')
  const names = 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:engine, DNS:engine.internal'
  for (const name of ['localhost', 'engine', 'engine.internal', '127.0.0.1']) {
    assert.equal(await handshake(name, ca), names, name)
  }
  assert.equal(await handshake('portal.example', ca), 'ERR_TLS_CERT_ALTNAME_INVALID')
  assert.match(await handshake('localhost'), /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)$/)
  assert.match(certificate.key, /BEGIN PRIVATE KEY/)
})
