// The commands of README.md that start containers.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandBlocks, runUntil, sandbox } from '../../../test/deploy/commands.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { engineVariables } from './docker.ts'
import { images } from './images.ts'

test('the containers of README.md start and serve pages', async (t) => {
  const { text } =
    commandBlocks('README.md', '|sh|console').find((block) => block.text.includes('docker compose up')) ?? assert.fail()
  const { here, env } = sandbox(t)
  const [http, https] = [await freePort(), await freePort()]
  const variables = {
    ...env,
    ...engineVariables,
    COMPOSE_PROJECT_NAME: `documented-${process.pid}`,
    GATEWAY_CAPTIVE_HTTP_PORT: `${http}`,
    GATEWAY_CAPTIVE_HTTPS_PORT: `${https}`,
    GATEWAY_INSIDE_SUBNET: `172.30.${http % 250}.0/24`,
    BASE_IMAGE: images.base,
    TERMINATOR_BASE_IMAGE: process.env.TERMINATOR_BASE_IMAGE ?? images.base,
    PORTAL_IMAGE: 'portal-check/documented-portal',
    ENGINE_IMAGE: 'portal-check/documented-engine',
    TERMINATOR_IMAGE: 'portal-check/documented-terminator',
  }
  t.after(() =>
    spawnSync('docker-compose', ['down', '--volumes', '--timeout', '2'], {
      cwd: join(here, 'deploy'),
      env: variables,
    }),
  )
  await runUntil(text, { cwd: here, env: variables, seconds: 240 }, async () => {
    const response = await fetch(`http://127.0.0.1:${http}/ca`).catch(() => undefined)
    await response?.body?.cancel()
    return response?.status === 200
  })
})
