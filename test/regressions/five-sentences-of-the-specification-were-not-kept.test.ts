// Seen in an audit of the specification: the terminator's own 503 page had neither X-Portal-Version, nor the portal-version meta
// tag, nor the copyright line ("every page"), and its script had rules for /api/ and /healthz ("knows none of the portal's URL
// space"); `bsod` showed no `:(` on /aup ("verdict pages"); the leaf's CN was the base URL's host
// ("GATEWAY_CAPTIVE_HOSTNAME … drives the CN"); on port 80, POST got 405 ("every other path redirects"). Since each exists.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import packageJson from '#package' with { type: 'json' }
import { startPublishing } from '../engine/publishing.ts'
import { exchange } from '../portal/exchange.ts'
import { freePort } from '../support/free-port.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { skipWithoutNginx, startTerminator } from '../support/terminator.ts'
import { send } from '../terminator/client.ts'

const { version, releaseType } = packageJson

test('the terminator’s own page has version and copyright line, on any path', { skip: skipWithoutNginx }, async (t) => {
  const { folder, publish } = await startPublishing(t)
  await publish({ portalHost: 'localhost' })
  const away = `127.0.0.1:${await freePort()}`
  const { httpPort } = await startTerminator(t, { portal: away, leaf: `${folder}/terminator` })
  for (const path of ['/blocked', '/api/captive/ack', '/healthz', '/ca']) {
    const { status, headers, body } = await send(`http://localhost:${httpPort}`, path)
    assert.deepEqual([status, headers['x-portal-version']], [503, `${version}-${releaseType}`])
    assert.ok(body.includes(`<meta name="portal-version" content="${version}">`), path)
    assert.ok(body.includes(`Copyright © ${new Date().getUTCFullYear()} Gateway Project. All rights reserved.`), path)
  }
})

test('the terminator has no rule for a path of the portal', () => {
  for (const name of ['nginx.conf', 'unavailable.html']) {
    const text = readFileSync(new URL(`../../deploy/terminator/${name}`, import.meta.url), 'utf8')
    assert.doesNotMatch(text, /\/(api|healthz|ca\b|blocked|warned|aup|locale|privacy)|pathname/, name)
  }
})

test('bsod has its face on /aup, with and without a control to proceed', async (t) => {
  const portal = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_PALETTE: 'bsod' } })
  for (const more of [{}, { ack_token: ACK_TOKEN }]) {
    const { body } = await exchange(portal, verdictTarget(claims(NOW, { kind: 'aup', ...more })))
    assert.match(body, /<p class="face" aria-hidden="true">:\(<\/p>/)
  }
})

test('the leaf’s CN is the hostname; a leaf with another one is renewed', async (t) => {
  const { read, publish } = await startPublishing(t)
  const subject = async () => new X509Certificate(await read('terminator/portal.crt')).subject
  await publish({ portalHost: 'portal.example', portalNames: ['captive.example'] })
  assert.equal(await subject(), 'CN=captive.example')
  await publish({ portalHost: 'captive.example', portalNames: ['portal.example'] })
  assert.equal(await subject(), 'CN=portal.example')
})

test('plain http redirects every method, and the method stays', async (t) => {
  const portal = await startPortal(t, { env: { GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example' } })
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const { status, headers } = await exchange(portal, '/x?y', { 'X-Forwarded-Proto': 'http' }, method)
    assert.deepEqual([status, headers.get('location')], [308, 'https://portal.example/x?y'], method)
  }
})

test('control: over https these methods are refused, and without another hostname the base URL’s is the CN', async (t) => {
  const portal = await startPortal(t, { env: { GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example' } })
  assert.equal((await exchange(portal, '/x?y', { 'X-Forwarded-Proto': 'https' }, 'POST')).status, 405)
  const { read, publish } = await startPublishing(t)
  await publish({ portalHost: 'portal.example' })
  assert.equal(new X509Certificate(await read('terminator/portal.crt')).subject, 'CN=portal.example')
})
