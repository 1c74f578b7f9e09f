// A database server that said something else than PostgreSQL's protocol, be it a wrong port or a bit that changed on the
// way, once ended the portal: pg throws at such a message where nobody can catch it, and with the portal went the block
// pages, which need no database. Now it ends that connection, and the caller gets LedgerUnavailable.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { LedgerUnavailable } from '../../src/ledger/ledger-unavailable.ts'

const message = (type: string, ...bytes: number[]) =>
  Buffer.from([type.charCodeAt(0), 0, 0, 0, bytes.length + 4, ...bytes])
const AUTHENTICATED = message('R', 0, 0, 0, 0)
const READY = message('Z', 'I'.charCodeAt(0))

const garbage: Readonly<Record<string, Buffer>> = {
  'an unknown kind of authentication': message('R', 0, 0, 4, 10),
  'a message cut short': Buffer.concat([AUTHENTICATED, READY, message('T', 0, 9)]),
  'rows that nobody asked for': Buffer.concat([AUTHENTICATED, message('D', 0, 1, 0, 0, 0, 1, 65), READY]),
  'two answers to one question': Buffer.concat([AUTHENTICATED, READY, message('C', 65, 0), READY, READY]),
  'a length of nothing': Buffer.concat([AUTHENTICATED, READY, Buffer.from([68, 0, 0, 0, 0, 0, 0, 0, 0])]),
  'another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
}

async function openAt(t: TestContext, answer: Buffer | undefined): Promise<unknown> {
  const closed: Promise<unknown>[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    closed.push(new Promise((resolve) => socket.on('close', resolve)))
    if (answer === undefined) socket.resetAndDestroy()
    else socket.on('data', () => socket.write(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    // None is left behind.
    await Promise.all(closed)
  })
  const url = `postgresql://portal:secret@127.0.0.1:${(server.address() as AddressInfo).port}/ledger`
  return openLedger({ dialect: 'postgres', url }, { clock: Date.now, migrate: false })
}

for (const [name, bytes] of Object.entries(garbage)) {
  // A length that promises more is waited for until the transaction is cut off, after a minute where it migrates.
  test(`${name}: the ledger is unavailable, and the process lives`, { timeout: 20_000 }, async (t) => {
    await assert.rejects(openAt(t, bytes), LedgerUnavailable)
  })
}

test('control: a server that ends every connection', async (t) => {
  await assert.rejects(openAt(t, undefined), LedgerUnavailable)
})
