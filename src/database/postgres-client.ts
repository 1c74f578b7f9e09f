// pg parses the server's messages in a socket listener, and throws on malformed ones: an uncaught exception. This client
// closes the connection instead. It also closes the socket of a failed connect, which pg leaves open.
import type { Duplex } from 'node:stream'
import pg from 'pg'

/** Not in pg's types: called with the socket, or the TLS socket. */
interface MessageReader {
  attachListeners(stream: Duplex): void
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

export class GuardedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const reader = this.connection as unknown as MessageReader
    const attachListeners = reader.attachListeners.bind(reader)
    reader.attachListeners = (stream) => {
      const emit = stream.emit.bind(stream)
      stream.emit = (event: string | symbol, ...values: unknown[]) => {
        if (event !== 'data') return emit(event, ...values)
        try {
          return emit(event, ...values)
        } catch (error) {
          stream.destroy(error as Error)
          return true
        }
      }
      attachListeners(stream)
    }
  }

  override connect(): Promise<pg.Client>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect()
    const connected = callback as (error: Error, client: pg.Client) => void
    super.connect((error: Error, client?: pg.Client) => {
      if (error) this.connection.stream.destroy()
      connected(error, client as pg.Client)
    })
    return undefined
  }
}
