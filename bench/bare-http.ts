// The yardstick: a bare node:http server that responds to every request with the portal's page. With a key it first
// opens each payload and parses its JSON, without checking the claims: the minimum work of any portal. It logs like the
// portal, one line per request, so that the cost of logging is the same.
import { createDecipheriv } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createLog } from '../src/observability/log.ts'
import type { Page } from './contenders.ts'

const [port, pageFile, keyHex] = process.argv.slice(2) as [string, string, string]
const { status, headers, body } = JSON.parse(readFileSync(pageFile, 'utf8')) as Page
const page = Buffer.from(body, 'base64')
const key = keyHex === '' ? undefined : Buffer.from(keyHex, 'hex')

const log = createLog()

const server = createServer((request, response) => {
  const start = performance.now()
  if (key !== undefined) open(request.url as string, key)
  response.writeHead(status, headers as string[])
  response.end(page)
  const milliseconds = Math.round((performance.now() - start) * 10) / 10
  log.info({ method: request.method, route: '/blocked', status, milliseconds }, 'request')
})
server.keepAliveTimeout = 72_000
server.listen(Number(port), '127.0.0.1')

function open(target: string, key: Buffer): unknown {
  const [header, , iv, ciphertext, tag] = target.slice(target.indexOf('?p=') + 3, target.indexOf('&')).split('.')
  if (!header || !iv || !ciphertext || !tag) throw new Error('not a payload')
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(header))
  decipher.setAuthTag(Buffer.from(tag, 'base64url'))
  const plaintext = decipher.update(Buffer.from(ciphertext, 'base64url'))
  decipher.final()
  return JSON.parse(plaintext.toString())
}
