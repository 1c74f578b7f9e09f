// Squid signs with the published file: a client that trusts only the root accepts what it decrypts, before and after a
// renewal, and Squid's user needs only the group of the folder. Squid 5.7 keeps what it has signed in memory during a
// reconfiguration: visited sites have the previous chain until that expires, or until the cache is emptied.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeServed } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import { hasCommand, skipUnless, skipWithoutOpenssl } from '../../support/requirement.ts'
import { serverOf } from '../../support/servers.ts'
import { until } from '../../support/until.ts'
import { DAY_MS, startPublishing } from '../publishing.ts'

const CERTIFICATE_GENERATOR = '/usr/lib/squid/security_file_certgen'
const [SQUID_USER, PROXY_GROUP] = [54_323, 54_321]
const skip =
  skipUnless(hasCommand('squid'), 'needs Squid: apt-get install squid-openssl') ||
  skipUnless(process.geteuid?.() === 0, 'needs root, to run Squid as another user') ||
  skipUnless(hasCommand('curl'), 'needs curl: apt-get install curl') ||
  skipWithoutOpenssl

test('Squid decrypts with the proxy’s CA, and follows a renewal', { skip, timeout: 30_000 }, async (t) => {
  const { folder, path, read, publish, publishProxyCa } = await startPublishing(t)
  await chmod(folder, 0o755)
  await mkdir(path('bump'))
  await chown(path('bump'), 0, PROXY_GROUP)
  await chmod(path('bump'), 0o2750)
  await publish({ clock: () => Date.now() - 11 * DAY_MS })

  const { ca, leaf } = makeServed('localhost')
  const origin = createServer({ cert: leaf.certificate, key: leaf.key }, (_, response) => response.end('the origin'))
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  t.after(() => origin.close())
  const sitePort = (origin.address() as AddressInfo).port

  const port = await freePort()
  await mkdir(path('squid'))
  await chown(path('squid'), SQUID_USER, PROXY_GROUP)
  await writeFile(path('origin-ca.crt'), ca.certificate)
  const configuration = `http_port 127.0.0.1:${port} ssl-bump generate-host-certificates=on tls-cert=${path('bump/ca.pem')}
sslcrtd_program ${CERTIFICATE_GENERATOR}
sslcrtd_children 1 startup=1 idle=1
sslproxy_session_cache_size 0
tls_outgoing_options cafile=${path('origin-ca.crt')}
ssl_bump bump all
http_access allow all
cache deny all
access_log none
cache_log ${path('squid/cache.log')}
pid_filename ${path('squid/pid')}
coredump_dir ${path('squid')}
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname localhost
`
  await writeFile(path('squid.conf'), configuration)
  const squid = spawn('squid', ['-N', '-n', `certificates${process.pid}`, '-f', path('squid.conf')], {
    uid: SQUID_USER,
    gid: PROXY_GROUP,
    stdio: 'ignore',
    detached: true,
  })
  const server = serverOf(squid, port)
  t.after(async () => {
    await server.stop()
    origin.closeAllConnections()
  })

  /** Its output; rejects when the handshake fails or takes too long. */
  const openssl = async (host: string, ...options: string[]) => {
    const words = ['s_client', '-proxy', `127.0.0.1:${port}`, '-connect', `${host}:${sitePort}`, ...options]
    const running = promisify(execFile)('openssl', words, { timeout: 5_000, killSignal: 'SIGKILL' })
    running.child.stdin?.end()
    return (await running).stdout
  }
  /** The certificates that Squid sends; none until it listens. */
  const sent = async (host: string) => {
    try {
      const pem =
        (await openssl(host, '-showcerts')).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
      return pem.map((one) => new X509Certificate(one))
    } catch {
      return []
    }
  }
  const assertIssuedBy = async (ca: X509Certificate, host: string) => {
    const [leaf, intermediate, ...others] = await sent(host)
    assert.equal(intermediate?.fingerprint256, ca.fingerprint256)
    assert.ok(leaf)
    assert.ok(leaf.verify(ca.publicKey))
    assert.deepEqual(others, [])
    await openssl(host, '-verify_return_error', '-brief', '-CAfile', path('ca/ca.crt'))
    return leaf
  }
  /** As squid -k reconfigure does; a site that nobody has visited shows that it is done. */
  const reconfigure = async (ca: X509Certificate, unvisited: string) => {
    squid.kill('SIGHUP')
    await until(async () => (await sent(unvisited))[1]?.fingerprint256 === ca.fingerprint256, 10, 50)
  }
  const published = async () => new X509Certificate(await read('bump/ca.pem'))

  await until(async () => (await sent('localhost')).length > 0, 10, 50)
  const first = await published()
  const signed = await assertIssuedBy(first, 'localhost')
  assert.equal(signed.checkHost('localhost'), 'localhost')
  const trust = ['--proxy', `http://127.0.0.1:${port}`, '--cacert', path('ca/ca.crt')]
  const { stdout } = await promisify(execFile)('curl', ['-sS', ...trust, `https://localhost:${sitePort}/`])
  assert.equal(stdout, 'the origin')
  assert.deepEqual(signed.validToDate, first.validToDate, 'so that Squid’s cache drops it when its chain expires')

  assert.ok((await publishProxyCa()).isRenewed)
  const second = await published()
  assert.notEqual(second.fingerprint256, first.fingerprint256)
  await reconfigure(second, '127.0.0.1')
  await assertIssuedBy(second, '127.0.0.1')
  await assertIssuedBy(first, 'localhost')
  await writeFile(path('squid.conf'), configuration.replace('=on ', '=on dynamic_cert_mem_cache_size=0KB '))
  await reconfigure(second, 'localhost')
  await assertIssuedBy(second, 'localhost')
})
