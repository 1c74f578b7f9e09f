// PGlite, PostgreSQL compiled to WebAssembly, behind a socket: it has one session, so that it is served as a pooler in
// transaction mode would, to one connection's transaction after the other's. What speaks to it is the portal's own driver.
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import packageJson from '#package' with { type: 'json' }

export interface RunningPglite {
  readonly url: string
  /** Empties it. */
  reset(): Promise<void>
  stop(): Promise<void>
}

const QUERY = 0x51
const SYNC = 0x53
const TERMINATE = 0x58
const IDLE = 0x49

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/pglite/', import.meta.url))

/** An empty database: its data folder is made once and kept for the other test processes, because that takes seconds. */
async function openEmpty(): Promise<PGlite> {
  const kept = join(CACHE, packageJson.devDependencies['@electric-sql/pglite'])
  if (existsSync(kept)) return await PGlite.create({ loadDataDir: new Blob([readFileSync(kept)]) })
  const database = await PGlite.create()
  const dump = await database.dumpDataDir('none')
  mkdirSync(CACHE, { recursive: true })
  const written = `${kept}-${process.pid}`
  writeFileSync(written, await dump.bytes())
  renameSync(written, kept)
  return database
}

export async function startPglite(): Promise<RunningPglite> {
  const database = await openEmpty()
  const sockets = new Set<Socket>()
  let lastTurn: Promise<unknown> = Promise.resolve()

  /** Resolves when nobody else is in a transaction, with what ends the turn. */
  async function takeTurn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const turn = lastTurn
    lastTurn = turn.then(() => promise)
    await turn
    return resolve
  }

  function serve(socket: Socket): void {
    let received: Buffer = Buffer.alloc(0)
    let hasStarted = false
    let endTurn: (() => void) | undefined
    let work: Promise<unknown> = Promise.resolve()

    /** The messages up to the next one that is answered with ReadyForQuery; undefined until they are all there. */
    function takeBatch(): Buffer | undefined {
      for (let at = 0; received.length >= at + (hasStarted ? 5 : 4); ) {
        const type = hasStarted ? received[at] : QUERY
        const end = at + (hasStarted ? 1 : 0) + received.readInt32BE(at + (hasStarted ? 1 : 0))
        if (received.length < end) return undefined
        at = end
        if (type !== QUERY && type !== SYNC && type !== TERMINATE) continue
        const batch = received.subarray(0, end)
        received = received.subarray(end)
        hasStarted = true
        return batch
      }
      return undefined
    }

    async function carryOut(batch: Buffer): Promise<void> {
      if (batch[0] === TERMINATE) return void socket.end()
      endTurn ??= await takeTurn()
      // One that has gone away has had its turn.
      if (socket.destroyed) return
      const answer = await database.execProtocolRaw(batch)
      socket.write(answer)
      if (answer.at(-1) === IDLE) giveTurnBack()
    }

    function giveTurnBack(): void {
      endTurn?.()
      endTurn = undefined
    }

    sockets.add(socket)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (let batch = takeBatch(); batch !== undefined; batch = takeBatch()) {
        const whole = batch
        work = work.then(() => carryOut(whole))
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      work = work.then(async () => {
        if (endTurn !== undefined) await database.exec('rollback')
        giveTurnBack()
      })
    })
  }

  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    async reset() {
      const endTurn = await takeTurn()
      await database.exec('drop schema public cascade; create schema public')
      endTurn()
    },
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await database.close()
    },
  }
}
