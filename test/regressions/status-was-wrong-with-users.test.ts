// Seen: with PROXY_AUTH, `gatewayctl proxy status` exited with 1 and "proxy wrong 407: the proxy requires a user", and so did every
// monitor that used it, although nothing was wrong: 407 is what the proxy owes a request without a user. Since there are users.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A proxy that lets nobody in. */
async function startRequiring(t: TestContext): Promise<string> {
  const proxy = createServer((_, response) => response.writeHead(407).end())
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  return `127.0.0.1:${await listen(t, proxy)}`
}

test('without credentials nothing is wrong; what was not tried is skipped', async (t) => {
  const proxy = await startRequiring(t)
  const { status, stdout } = await gatewayctl(['proxy', 'status', '--proxy', proxy])
  assert.equal(status, 0, stdout)
  assert.match(stdout, new RegExp(`^proxy +ok +${proxy} responds, and requires a user$`, 'm'))
  assert.match(stdout, /^uses-engine +skipped +not tried: --credentials names a file with NAME:PASSWORD$/m)
})

test('control: credentials that the proxy rejects', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'credentials')
  writeFileSync(file, 'alice:wrong\n')
  const proxy = await startRequiring(t)
  const { status, stdout } = await gatewayctl(['proxy', 'status', '--proxy', proxy, '--credentials', file])
  assert.equal(status, 1)
  assert.match(stdout, /^proxy +failing +407: the proxy rejects these credentials$/m)
  assert.match(stdout, /^uses-engine +skipped +not tried: the proxy rejects these credentials$/m)
})
