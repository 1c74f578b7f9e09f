// What the proxy verifies of a site, now that the browser cannot; and a name that changes its address at the last moment.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { type Handler, makeSiteCa, makeSiteCertificate } from '../../test/proxy/sites.ts'
import { makeCertificate, openssl } from '../../test/support/certificates.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('upstream', { skip: skipWithoutGateway, timeout: 180_000 }, async () => {
  const ca = makeSiteCa()
  const now = Math.floor(Date.now() / 1000)
  const times = { notBefore: now - 86_400, notAfter: now + 86_400 }
  const authority = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign']
  const intermediate = makeCertificate({ ...times, subject: '/CN=Intermediate', issuer: ca, extensions: authority })
  // A site that forgot its intermediate certificate, and says where to find it.
  const withoutIntermediate = (name: string, where: string) =>
    makeCertificate({
      ...{ ...times, subject: `/CN=${name}`, issuer: intermediate },
      extensions: [
        ...['basicConstraints=CA:FALSE', `subjectAltName=DNS:${name}`, 'extendedKeyUsage=serverAuth'],
        `authorityInfoAccess=caIssuers;URI:${where}`,
      ],
    })
  const send: Handler = (_, response) => response.end(openssl(['x509', '-outform', 'DER'], intermediate.certificate))
  const inside = createServer(send)
  let insideRequests = 0
  inside.on('request', () => insideRequests++)
  const insidePort = await listen({ after }, inside)

  const certificates = {
    'expired.example': makeSiteCertificate(ca, ['expired.example'], { notAfter: now - 3600 }),
    'other-name.example': makeSiteCertificate(ca, ['another.example']),
    'self-signed.example': makeSiteCertificate(makeSiteCa(), ['self-signed.example']),
    'incomplete.example': withoutIntermediate('incomplete.example', 'http://aia.example/intermediate.crt'),
    'hostile.example': withoutIntermediate('hostile.example', `http://127.0.0.1:${insidePort}/secret`),
  }
  const gateway = await startGateway(
    { after },
    {
      sites: {
        ca,
        names: ['news.example', 'aia.example', ...Object.keys(certificates)],
        certificates,
        handlers: { 'aia.example': send },
      },
      policy: 'default = "allow"\n[audit]\nallowed = true\nhosts = true\n',
      // The lower limit of how long Squid keeps an address.
      directives: 'negative_dns_ttl 1 second\npositive_dns_ttl 1 second',
    },
  )
  const { request, sites, engine } = gateway

  for (const name of ['expired.example', 'other-name.example', 'self-signed.example']) {
    test(`${name} is not opened`, async () => {
      const { status, body } = await request(`https://${name}/`)
      assert.equal(status, 503)
      assert.match(body, /This site isn’t secure/)
      assert.ok(!sites.received.some(({ host }) => host === name))
    })
  }

  test('an intermediate certificate that a site does not send is fetched, without asking the engine', async () => {
    assert.equal((await request('https://incomplete.example/')).status, 200)
    assert.ok(sites.received.some(({ host }) => host === 'aia.example'))
    const hosts = () => engine.decisions().map(({ host }) => host)
    await until(() => hosts().includes('incomplete.example'))
    assert.ok(!hosts().includes('aia.example'))
  })

  test('but not from inside', async () => {
    assert.equal((await request('https://hostile.example/')).status, 503)
    assert.equal(insideRequests, 0)
  })

  describe('a name that points inside once it has been checked', () => {
    test('while the engine decides', async () => {
      for (const before of [[sites.address], []]) {
        sites.resolve('rebinding.example', ...before)
        await until(async () => ((await request('http://rebinding.example/')).status === 200) === before.length > 0)
        engine.process.kill('SIGSTOP')
        const waiting = request(`http://rebinding.example:${insidePort}/`)
        // What was checked has expired then.
        await sleep(2_500)
        sites.resolve('rebinding.example', '127.0.0.1')
        engine.process.kill('SIGCONT')
        assert.equal((await waiting).status, 403)
      }
      assert.equal(insideRequests, 0)
    })

    test('after any number of failures', async () => {
      for (let failures = 0; failures < 12; failures++) {
        sites.resolveLate(`late${failures}.example`, failures, '127.0.0.1')
        const { status } = await request(`http://late${failures}.example:${insidePort}/`)
        assert.ok([403, 503].includes(status), `${failures}: ${status}`)
      }
      assert.equal(insideRequests, 0)
    })
  })
})
