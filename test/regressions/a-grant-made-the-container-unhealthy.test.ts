// A folder granted to the portal by NODE_OPTIONS (docs/install.md) reached every Node in its container: the image's health
// check ended with `--allow-fs-read requires --permission`, and the container, in order, was restarted as unhealthy.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { test } from 'node:test'

test('the health check does without what the portal is granted', async (t) => {
  const [, json = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readFileSync('deploy/Dockerfile', 'utf8')) ?? []
  const [program, ...words] = JSON.parse(json) as [string, ...string[]]
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const check = async (granted: Readonly<Record<string, string>>) => {
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
    const env = { PATH, GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`, ...granted }
    const [status] = await once(spawn(program, words, { env }), 'exit')
    return status
  }
  assert.equal(await check({}), 0)
  assert.equal(await check({ NODE_OPTIONS: '--allow-fs-read=/etc/ssl/engine/*' }), 0)
})
