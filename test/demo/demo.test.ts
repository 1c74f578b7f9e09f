// The README's first command, run as by a user: one address, every sample site, a clean stop on Ctrl-C.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'smol-toml'
import { proxiedHost, SAMPLE_SITES } from '../../demo/sites.ts'
import { startDemo } from '../../demo/start.ts'
import { programFirst, runDemo } from '../support/running-demo.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { send } from '../terminator/client.ts'

const PAGES = new Map([
  ['block', '/blocked'],
  ['warn', '/warned'],
  ['aup', '/aup'],
])
const POLICY = new URL('../../src/engine/sample-policy.toml', import.meta.url)
const { rules: RULES } = parse(readFileSync(POLICY, 'utf8')) as unknown as {
  rules: { name: string; match: string[]; action: string; override?: { code: string } }[]
}

test('npm start shows every case of the sample policy and stops cleanly', async (t) => {
  const { text, stop } = await runDemo(t, ['--no-https'], /Ctrl-C stops everything/)
  const addresses = text.match(/http:\/\/\S+/g) ?? []
  assert.equal(addresses.length, 1, 'one address is printed')
  await visitSites(Number(new URL(addresses[0] as string).port))
  await stop()
})

// Debian's package `squid` is built with GnuTLS.
test('with nginx, and a Squid that cannot decrypt: a portal over https as well', {
  skip: skipWithoutNginx,
}, async (t) => {
  const env = programFirst(t, 'squid', "echo 'Squid Cache: Version 5.7'; echo \"configure options: '--with-gnutls'\"")
  const { text, stop } = await runDemo(t, [], /apt-get install .*squid-openssl/, env)
  const [list = '', certificatePage = ''] = text.match(/http:\/\/\S+/g) ?? []
  const [, caFile = '', health = ''] = /curl --cacert (\S+) (https:\/\/\S+\/healthz)\n/.exec(text) ?? []
  assert.ok((await (await fetch(list)).text()).includes(`<a href="${certificatePage}">`))

  const { status, body } = await send(new URL(health).origin, '/healthz', { ca: readFileSync(caFile) })
  assert.deepEqual({ status, health: JSON.parse(body).status }, { status: 200, health: 'ok' })
  const plain = new URL(certificatePage)
  assert.equal(plain.pathname, '/ca')
  assert.equal((await send(plain.origin, '/privacy')).headers.location, `${new URL(health).origin}/privacy`)
  // This page is not redirected.
  assert.equal((await send(plain.origin, '/ca')).headers.location, undefined)
  await stop()
})

// The tests above show that the demo's gateway and portals send the token.
test('its engine demands the API token', async (t) => {
  const said = Promise.withResolvers<string>()
  const demo = await startDemo({
    policyFile: fileURLToPath(POLICY),
    ports: [0],
    onLog(program, line) {
      const address = /listening on (https:[^"]+)/.exec(line)?.[1]
      if (program === 'engine' && address !== undefined) said.resolve(address)
    },
  })
  t.after(demo.stop)
  const ca = readFileSync(join(demo.published, 'ca/ca.crt'))
  const status = async (path: string) => (await send(await said.promise, path, { ca })).status
  assert.deepEqual(await Promise.all(['/healthz', '/api/captive/ack?p=x'].map(status)), [200, 401])
})

async function visitSites(port: number): Promise<void> {
  for (const { name, path } of SAMPLE_SITES) {
    const host = `${name}.localhost`
    const { status, location } = await visit(port, host, path)
    const page = PAGES.get(RULES.find(({ match }) => match.includes(host))?.action ?? '')
    assert.equal(status, page === undefined ? 200 : 302, host)
    assert.equal(location === undefined ? undefined : new URL(location).pathname, page, host)
    if (location !== undefined) await assertOfOperator(location)
  }
}

/** Every page names the operator, and shows its logo and whom to ask. */
async function assertOfOperator(page: string): Promise<void> {
  const response = await fetch(page)
  assert.equal(response.status, 200, page)
  const markup = await response.text()
  for (const part of ['Kantonsschule Musterhausen', '<img src="/logo?', 'mailto:helpdesk@musterhausen.example']) {
    assert.ok(markup.includes(part), `${part}: ${page}`)
  }
}

test('the list has a site for every rule of the sample policy, with its code', () => {
  for (const { name, match, override } of RULES) {
    const site = SAMPLE_SITES.find((site) => match.includes(`${site.name}.localhost`))
    assert.ok(site !== undefined && match.includes(proxiedHost(site)), name)
    assert.equal(site.code, override?.code, name)
  }
})

/** The gateway distinguishes the sites by their Host header. */
async function visit(port: number, host: string, path: string) {
  const request = get({ host: '127.0.0.1', port, path, headers: { host: `${host}:${port}` } })
  const [response] = await once(request, 'response')
  response.resume()
  return { status: response.statusCode as number, location: response.headers.location as string | undefined }
}
