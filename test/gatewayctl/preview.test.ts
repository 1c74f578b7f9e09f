// `portal preview` serves the pages with the operator's configuration until the command ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { ended, gatewayctlProcess, startGatewayctl } from './gatewayctl.ts'

test('serves the pages on a port, with a container’s logo from its folder on this host; a signal ends both', async (t) => {
  const home = temporaryFolder(t)
  mkdirSync(join(home, 'texts'))
  writeFileSync(join(home, 'compose.yaml'), '')
  const lines = ['AUP_FOLDER=./texts', 'BRAND_LOGO=logo.svg', 'BRAND_PRODUCT=Northwind Gateway']
  writeFileSync(join(home, '.env'), lines.map((line) => `GATEWAY_CAPTIVE_${line}\n`).join(''))
  copyFileSync(new URL('../../demo/logo.svg', import.meta.url), join(home, 'texts/logo.svg'))
  const port = await freePort()
  const child = startGatewayctl(['portal', 'preview', '--port', `${port}`], { env: { GATEWAY_HOME: home } })
  t.after(() => child.kill('SIGTERM'))
  const [said] = await once(child.stdout, 'data')
  assert.equal(`${said}`, `Open http://localhost:${port}/ to see every page. Ctrl-C stops it.\n`)
  const page = await fetch(`http://127.0.0.1:${port}/`).then((response) => response.text())
  for (const part of ['Every page, in every state', 'Northwind Gateway', '<img src="/logo?']) {
    assert.ok(page.includes(part), part)
  }
  child.kill('SIGTERM')
  assert.equal((await ended(child)).status, 143)
  await until(() =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => false,
      () => true,
    ),
  )
})

test('misconfiguration exits with 2', async () => {
  const { status, stderr } = await gatewayctlProcess(['portal', 'preview'], { env: { GATEWAY_CAPTIVE_LOCALE: 'xx' } })
  assert.equal(status, 2)
  assert.match(stderr, /GATEWAY_CAPTIVE_LOCALE must be/)
})
