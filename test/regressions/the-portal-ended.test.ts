// Stories of what ended the portal's process, and with it every visitor's request; each suite is one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { LedgerUnavailable } from '../../src/ledger/ledger-unavailable.ts'
import { acknowledgement, assertOwnResponse } from '../portal/acknowledgement/relay.ts'
import { exchange } from '../portal/exchange.ts'
import { catalogue } from '../support/catalogue.ts'
import { databases, query } from '../support/databases.ts'
import { listen } from '../support/listen.ts'
import { startPortal } from '../support/portal.ts'
import { startPortalProcess } from '../support/portal-process.ts'
import { noPostgres, postgresLocation, postgresUrl } from '../support/postgres-server.ts'

// One CONNECT whose sender reset the connection at once ended the portal: Node passes on the socket of a tunnel without
// its own error handler, the response failed, and an unhandled error event ends the process. Anyone who reached the
// port could repeat that faster than the portal restarts. Since the first version.
test('a tunnel and a reset', async (t) => {
  const address = await startPortalProcess(t, {}).listening
  const HEAD = ' HTTP/1.1\r\nHost: a\r\n'
  for (const [name, text] of Object.entries({
    'a tunnel': `CONNECT a:443${HEAD}\r\n`,
    'a tunnel, and more data': `CONNECT a:443${HEAD}\r\n${'x'.repeat(1000)}`,
    'control: another protocol': `GET /privacy${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    'control: no HTTP at all': '\x16\x03\x01\r\n\r\n',
    'control: a page': `GET /privacy${HEAD}\r\n`,
  })) {
    // Some requests arrive only after their reset.
    for (let count = 0; count < 30; count++) {
      const socket = connect(Number(new URL(address).port), '127.0.0.1')
      // The portal was faster.
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(text, () => socket.resetAndDestroy())
      await once(socket, 'close')
    }
    assert.equal((await fetch(`${address}/healthz`)).status, 200, name)
  }
})

// Rendering failed twice: a page threw, and then the page of the error, which shares the frame, the language and the session
// with it. The second error had no handler, so it ended the process, and with it every visitor's request. Since the first
// version. Now that visitor gets an empty 500.
describe('an error in the error page', () => {
  /** A portal whose policy cannot be rendered. */
  const startFaulty = (t: TestContext) =>
    startPortal(t, {
      env: { ENGINE_INTERNAL_URL: 'http://127.0.0.1:9' },
      documents: (builtIn) => ({
        ...builtIn,
        get en(): never {
          throw new Error('a fault in the policy')
        },
      }),
    })

  for (const kind of ['page', 'target'] as const) {
    test(`of ${kind === 'page' ? 'a page' : 'an acknowledgement'}: an empty 500, and the portal lives`, async (t) => {
      const portal = await startFaulty(t)
      const faulty = new Proxy({} as typeof catalogue.en.outcome.internal, {
        get() {
          throw new Error('a fault in the error page')
        },
      })
      t.mock.property(catalogue.en.outcome, 'internal', faulty)
      const { status, body, headers } = await exchange(portal, acknowledgement()[kind])
      assert.deepEqual([status, body], [500, ''])
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal((await exchange(portal, '/healthz')).status, 200)
      assert.equal(portal.load().inFlight, 0)
      const faults = portal.logged().filter(({ level }) => level === 50)
      assert.deepEqual(
        faults.map(({ err }) => (err as { message: string }).message),
        ['a fault in the policy', 'a fault in the error page'],
      )
    })
  }
  test('control: after a fault in a page alone, the visitor gets the error page', async (t) => {
    const answered = await exchange(await startFaulty(t), acknowledgement().page)
    assert.equal(answered.status, 500)
    assertOwnResponse(answered, 'page')
  })
})

// A database server that violated PostgreSQL's protocol (a wrong port, a flipped bit) once ended the portal: pg throws
// on such a message where nothing can catch it, and block pages, which need no database, failed as well. Now only the
// connection is closed, and the caller gets LedgerUnavailable.
describe('garbage of a database', () => {
  const message = (type: string, ...bytes: number[]) =>
    Buffer.from([type.charCodeAt(0), 0, 0, 0, bytes.length + 4, ...bytes])
  const AUTHENTICATED = message('R', 0, 0, 0, 0)
  const READY = message('Z', 'I'.charCodeAt(0))
  for (const [name, bytes] of Object.entries({
    'an unknown kind of authentication': message('R', 0, 0, 4, 10),
    'a message cut short': Buffer.concat([AUTHENTICATED, READY, message('T', 0, 9)]),
    'unrequested rows': Buffer.concat([AUTHENTICATED, message('D', 0, 1, 0, 0, 0, 1, 65), READY]),
    'two responses to one query': Buffer.concat([AUTHENTICATED, READY, message('C', 65, 0), READY, READY]),
    'a length of zero': Buffer.concat([AUTHENTICATED, READY, Buffer.from([68, 0, 0, 0, 0, 0, 0, 0, 0])]),
    'another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
    'control: a server that ends every connection': undefined,
  })) {
    // With a length beyond the data, the driver waits for more until the transaction times out: a minute for migrations.
    test(`${name}: the ledger is unavailable, and the process survives`, { timeout: 20_000 }, async (t) => {
      const closed: Promise<unknown>[] = []
      // It leaves no connection open.
      t.after(() => Promise.all(closed))
      const server = createServer((socket) => {
        socket.on('error', () => {})
        closed.push(new Promise((resolve) => socket.on('close', resolve)))
        if (bytes === undefined) socket.resetAndDestroy()
        else socket.on('data', () => socket.write(bytes))
      })
      const url = `postgresql://portal:secret@127.0.0.1:${await listen(t, server)}/ledger`
      const opening = openLedger(postgresLocation(url), { clock: Date.now, migrate: false })
      await assert.rejects(opening, LedgerUnavailable)
    })
  }
})

// At its start the portal waits for a database that is not reachable yet. The texts of the policies were stored after that, without
// a second attempt: a database that ended the connection in between, as one does that is restarted or fails over, ended the portal.
// Since the wait exists.
describe('a database that restarted during the start', { skip: noPostgres, timeout: 60_000 }, () => {
  /** A portal whose ledger does this with every text, or with the first one. */
  async function startWith(t: TestContext, action: string) {
    const location = await databases.find(({ dialect }) => dialect === 'postgres')?.create(t)
    assert.ok(location?.dialect === 'postgres')
    await (await openLedger(location, { clock: Date.now, migrate: true })).close()
    await query(
      location,
      `create sequence texts;
      create function on_text() returns trigger language plpgsql as $$ begin ${action}; return new; end $$;
      create trigger on_text before insert on document for each row execute function on_text()`,
    )
    return { location, portal: startPortalProcess(t, { GATEWAY_CAPTIVE_DATABASE_URL: postgresUrl(location) }) }
  }
  test('is waited for', async (t) => {
    const once = `if nextval('texts') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if`
    const { location, portal } = await startWith(t, once)
    assert.equal((await fetch(`${await portal.listening}/healthz`)).status, 200)
    assert.ok(portal.lines.some((line) => line.includes('the database is not reachable yet')))
    assert.deepEqual(await query(location, 'select count(*)::int as texts from document'), [{ texts: 4 }])
  })
  test('control: where a database refuses the texts, the portal stops at once', async (t) => {
    const { portal } = await startWith(t, `raise exception 'no texts'`)
    assert.equal(await portal.ended, 1)
  })
})
