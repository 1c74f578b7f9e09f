// A database server that violated PostgreSQL's protocol (a wrong port, a flipped bit) once ended the portal: pg throws
// on such a message where nothing can catch it, and block pages, which need no database, failed as well. Now only the
// connection is closed, and the caller gets LedgerUnavailable.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { LedgerUnavailable } from '../../src/ledger/ledger-unavailable.ts'
import { postgresLocation } from '../support/postgres-server.ts'

const message = (type: string, ...bytes: number[]) =>
  Buffer.from([type.charCodeAt(0), 0, 0, 0, bytes.length + 4, ...bytes])
const AUTHENTICATED = message('R', 0, 0, 0, 0)
const READY = message('Z', 'I'.charCodeAt(0))

const garbage: Readonly<Record<string, Buffer>> = {
  'an unknown kind of authentication': message('R', 0, 0, 4, 10),
  'a message cut short': Buffer.concat([AUTHENTICATED, READY, message('T', 0, 9)]),
  'unrequested rows': Buffer.concat([AUTHENTICATED, message('D', 0, 1, 0, 0, 0, 1, 65), READY]),
  'two responses to one query': Buffer.concat([AUTHENTICATED, READY, message('C', 65, 0), READY, READY]),
  'a length of zero': Buffer.concat([AUTHENTICATED, READY, Buffer.from([68, 0, 0, 0, 0, 0, 0, 0, 0])]),
  'another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
}

async function openAt(t: TestContext, bytes: Buffer | undefined): Promise<unknown> {
  const closed: Promise<unknown>[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    closed.push(new Promise((resolve) => socket.on('close', resolve)))
    if (bytes === undefined) socket.resetAndDestroy()
    else socket.on('data', () => socket.write(bytes))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    // Leaves no connection open.
    await Promise.all(closed)
  })
  const url = `postgresql://portal:secret@127.0.0.1:${(server.address() as AddressInfo).port}/ledger`
  return openLedger(postgresLocation(url), { clock: Date.now, migrate: false })
}

for (const [name, bytes] of Object.entries(garbage)) {
  // With a length beyond the data, the driver waits for more until the transaction times out: a minute for migrations.
  test(`${name}: the ledger is unavailable, and the process survives`, { timeout: 20_000 }, async (t) => {
    await assert.rejects(openAt(t, bytes), LedgerUnavailable)
  })
}

test('control: a server that ends every connection', async (t) => {
  await assert.rejects(openAt(t, undefined), LedgerUnavailable)
})
