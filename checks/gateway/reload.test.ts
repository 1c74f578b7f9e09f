// The proxy follows what the engine publishes, and never believes it blindly: the folder is shared.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('what the engine publishes', { skip: skipWithoutGateway, timeout: 180_000 }, async () => {
  const gateway = await startGateway({ after }, { sites: { names: ['news.example', 'a.bank.example'] } })
  const { publish, engine } = gateway
  /** Squid closes its ports for a moment when it is reconfigured, and with them connections that it has not accepted yet. */
  const request: typeof gateway.request = (...sent) =>
    until(() =>
      gateway
        .request(...sent)
        .catch((error) => (['ECONNREFUSED', 'ECONNRESET'].includes(error.code) ? undefined : Promise.reject(error))),
    )
  /** The common name of the certificate's issuer. */
  const issuer = async (name: string) => String((await request(`https://${name}/`)).certificate?.issuer.CN)
  const logged = (pattern: RegExp, from = 0, seconds = 10) =>
    until(() => pattern.test(gateway.log().slice(from)), seconds, 50).catch(() => {
      throw new Error(`${pattern} is not in the log:\n${gateway.log().slice(from)}`)
    })

  test('an exempt host, then not any more', async () => {
    assert.match(await issuer('a.bank.example'), /Proxy CA/)
    publish('exempt-hosts', '.bank.example\n')
    await until(async () => (await issuer('a.bank.example')) === 'CA of the sites', 20, 100)
    publish('exempt-hosts', '')
    await until(async () => /Proxy CA/.test(await issuer('a.bank.example')), 20, 100)
  })

  test('an exempt client: its connections are not decrypted', async () => {
    publish('exempt-clients', '127.0.0.8\n')
    const from = '127.0.0.8'
    const issuerFor = async () => String((await request('https://news.example/', { from })).certificate?.issuer.CN)
    await until(async () => (await issuerFor()) === 'CA of the sites', 20, 100)
    assert.match(await issuer('news.example'), /Proxy CA/)
    publish('exempt-clients', '')
    await until(async () => /Proxy CA/.test(await issuerFor()), 20, 100)
  })

  test('internal networks, also around an address of this machine or a narrower entry', async () => {
    const { address, machineAddress } = gateway.sites
    const network = machineAddress.replace(/\d+$/, (last) => `${Number(last) - 1}/30`)
    for (const lines of [address, network, `${machineAddress}\n${network}`]) {
      publish('internal', `${lines}\n`)
      await until(async () => (await request('http://news.example/')).status === 403, 20, 100)
      publish('internal', '')
      await until(async () => (await request('http://news.example/')).status === 200, 20, 100)
    }
  })

  test('lines that are not valid are never read by Squid', async () => {
    // test/published/read.test.ts has more of them.
    for (const [name, line] of [
      ['exempt-hosts', 'a.bank.example\n"/etc/passwd"'],
      ['portal-names', 'portal.example all'],
      ['internal', '10.0.0.0/33'],
      ['tenants', 'login.example X-A "\\nhttp_access allow all'],
    ] as const) {
      const from = gateway.log().length
      publish(name, `${line}\n`)
      await logged(new RegExp(`proxy/${name}, line [12]: not valid: .*; the proxy keeps its configuration`), from)
      publish(name, '')
    }
    assert.match(await issuer('a.bank.example'), /Proxy CA/)
    assert.equal((await request('http://news.example/')).status, 200)
  })

  test('a file that is missing, or is none', async () => {
    const path = join(engine.published, '../for-the-proxy/proxy/internal')
    rmSync(path)
    await logged(/proxy\/internal is missing, and is treated as empty/)
    writeFileSync(path, '')
  })

  test('a renewed CA is used for sites that were visited before, too', async () => {
    const current = () => new X509Certificate(readFileSync(join(engine.published, 'bump/ca.pem')))
    const chain = async (name: string) => (await request(`https://${name}/`)).certificate
    const before = current()
    assert.equal((await chain('news.example'))?.issuerCertificate.fingerprint256, before.fingerprint256)
    await engine.kill('SIGTERM')
    rmSync(join(engine.published, 'bump/ca.pem'))
    await engine.restart()
    const renewed = current()
    assert.notEqual(renewed.fingerprint256, before.fingerprint256)
    const from = gateway.log().length
    await until(
      async () => (await chain('news.example'))?.issuerCertificate.fingerprint256 === renewed.fingerprint256,
      30,
      100,
    )
    // 10 s after the change.
    await logged(/certificates are cached again/, from, 20)
    const { certificate } = await request('https://news.example/', { ca: [gateway.rootCa()] })
    assert.equal(certificate?.issuerCertificate.fingerprint256, renewed.fingerprint256)
  })

  test('an include that could open something now is not read', async () => {
    const path = join(engine.published, '../include.conf')
    const content = readFileSync(path)
    const from = gateway.log().length
    writeFileSync(path, `${content}icap_enable off\n`)
    publish('internal', '192.0.2.0/24\n')
    await logged(/include\.conf must not contain 'icap_enable'.*; the proxy keeps its configuration/, from)
    writeFileSync(path, content)
    await logged(/reconfigured/, from)
    publish('internal', '')
    // The next test corrupts what Squid reads then.
    await logged(/reconfigured[\s\S]*listening[\s\S]*reconfigured[\s\S]*listening/, from)
  })

  test('a corrupt CA: the proxy continues with the previous one', async () => {
    const path = join(engine.published, 'bump/ca.pem')
    const from = gateway.log().length
    const content = readFileSync(path)
    writeFileSync(path, '-----BEGIN CERTIFICATE-----\nhttp_access allow all\n')
    await logged(/the proxy keeps its configuration/, from)
    assert.equal((await request('https://news.example/')).status, 200)
    writeFileSync(path, content)
    assert.equal((await request('https://news.example/')).status, 200)
  })

  test('with the proxy, Squid ends', async () => {
    const pid = gateway.squidPid()
    assert.equal(await gateway.stop(), 0)
    assert.throws(() => process.kill(pid, 0))
  })
})

test('a malformed line at the start', { skip: skipWithoutGateway, timeout: 60_000 }, async (t) => {
  const published = { internal: 'http_access allow all\n' }
  await assert.rejects(
    startGateway(t, { sites: { names: ['news.example'] }, published, seconds: 6 }),
    /proxy\/internal, line 1: not valid: http_access allow all; waiting for the engine to correct it/,
  )
})
