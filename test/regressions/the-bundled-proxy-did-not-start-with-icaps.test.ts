// The proxy's image, with compose.yaml's PROXY_ICAP=icaps://, ended with "connect2 is not a function": in a bundle, `import()` of
// Node's own modules has no names. The sources were not affected, and neither was `icap://`.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { skipWithoutSquid } from '../proxy/proxy.ts'
import { makeServed } from '../support/certificates.ts'
import { listen } from '../support/listen.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the bundled proxy asks for the options of', { skip: skipWithoutSquid || skipWithoutOpenssl }, () => {
  const folder = temporaryFolder({ after })
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const { ca, leaf } = makeServed('localhost')
  before(() => {
    file('package.json', '{ "type": "module", "version": "2026.1.1" }')
    execFileSync(process.execPath, ['scripts/bundle.ts', join(folder, 'proxy'), 'proxy'], { timeout: 30_000 })
  })

  const respond = (socket: Socket) => {
    socket.on('error', () => {}).once('data', () => socket.end('ICAP/1.0 200 OK\r\n\r\n'))
  }
  for (const { name, server } of [
    { name: 'icaps', server: createTlsServer({ cert: leaf.certificate, key: leaf.key }, respond) },
    { name: 'icap', server: createServer(respond) },
  ]) {
    test(`an ${name}:// service`, { timeout: 60_000 }, async (t) => {
      const port = await listen(t, server, 'localhost')
      const env = {
        PATH: process.env.PATH,
        PROXY_CLIENTS: '127.0.0.0/8',
        PROXY_PORTAL: 'https://portal.example',
        PROXY_ICAP: `${name}://localhost:${port}/reqmod`,
        PROXY_ICAP_TOKEN_FILE: file('token', 'a-token-of-the-engine'),
        PROXY_ORIGIN_CA: file('ca.pem', ca.certificate),
        PROXY_PUBLISHED: join(folder, 'published'),
        PROXY_RUN: join(folder, 'run'),
      }
      const program = [join(folder, 'proxy', 'main.js'), '--check']
      const { stdout } = await promisify(execFile)(process.execPath, program, { env, timeout: 20_000 })
      assert.match(stdout, /\nno problems\n$/)
      assert.doesNotMatch(stdout, /ICAP/)
    })
  }
})
