// `portal preview` serves the pages with the operator's configuration until the command ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { ended, gatewayctl, gatewayctlProcess, startGatewayctl } from './gatewayctl.ts'

test('serves the pages on the port that was asked for; a signal to the command alone ends both', async (t) => {
  const port = await freePort()
  const child = startGatewayctl(['portal', 'preview', '--port', `${port}`], {
    env: { GATEWAY_CAPTIVE_BRAND_PRODUCT: 'Northwind Gateway' },
  })
  t.after(() => child.kill('SIGTERM'))
  const [said] = await once(child.stdout, 'data')
  assert.equal(`${said}`, `Open http://localhost:${port}/ to see every page. Ctrl-C stops it.\n`)
  const page = await fetch(`http://127.0.0.1:${port}/`).then((response) => response.text())
  assert.ok(page.includes('Every page, in every state'))
  assert.ok(page.includes('Northwind Gateway'))
  child.kill('SIGTERM')
  assert.equal((await ended(child)).status, 143)
  await until(() =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => false,
      () => true,
    ),
  )
})

test('a container’s logo is found in its folder on this host', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'gateway-home-'))
  t.after(() => rmSync(home, { recursive: true }))
  mkdirSync(join(home, 'texts'))
  writeFileSync(join(home, 'compose.yaml'), '')
  writeFileSync(join(home, '.env'), 'GATEWAY_CAPTIVE_AUP_FOLDER=./texts\nGATEWAY_CAPTIVE_BRAND_LOGO=logo.svg\n')
  copyFileSync(new URL('../../demo/logo.svg', import.meta.url), join(home, 'texts/logo.svg'))
  const port = await freePort()
  const child = startGatewayctl(['portal', 'preview', '--port', `${port}`], { env: { GATEWAY_HOME: home } })
  t.after(() => child.kill('SIGTERM'))
  await once(child.stdout, 'data')
  const page = await fetch(`http://127.0.0.1:${port}/`).then((response) => response.text())
  assert.match(page, /<img src="data:image\/svg\+xml;base64,/)
  child.kill('SIGTERM')
  await ended(child)
})

test('misconfiguration and misuse exit with 2', async () => {
  const wrong = await gatewayctlProcess(['portal', 'preview'], { env: { GATEWAY_CAPTIVE_LOCALE: 'xx' } })
  assert.equal(wrong.status, 2)
  assert.match(wrong.stderr, /GATEWAY_CAPTIVE_LOCALE must be/)
  const misuse = await gatewayctl(['portal', 'preview', '--port', '0'])
  assert.equal(misuse.status, 2)
})
