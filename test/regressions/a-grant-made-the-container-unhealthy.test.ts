// A folder granted to the portal by NODE_OPTIONS (docs/install.md) affected every Node process in its container: the
// image's health check failed with `--allow-fs-read requires --permission`, and the working container was restarted.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { listen } from '../support/listen.ts'

test('the health check ignores the portal’s grants', async (t) => {
  const commands = Array.from(
    readFileSync('deploy/Dockerfile', 'utf8').matchAll(/^HEALTHCHECK .* CMD (\[.*\])$/gm),
    ([, json = '']) => JSON.parse(json) as [string, ...string[]],
  )
  // The engine's names its address.
  const [program, ...args] = commands.find((words) => words.every((word) => !word.includes('://'))) ?? assert.fail()
  const port = await listen(
    t,
    createServer((_, response) => response.end()),
  )
  const check = async (granted: Readonly<Record<string, string>>) => {
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
    const env = { PATH, GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`, ...granted }
    const [status] = await once(spawn(program, args, { env }), 'exit')
    return status
  }
  assert.equal(await check({}), 0)
  assert.equal(await check({ NODE_OPTIONS: '--allow-fs-read=/etc/ssl/engine/*' }), 0)
})
