// Who is served when. The event loop reads what has come, answers the oldest for a moment, and reads again. Each time round
// it accepts one connection: as long as somebody knocks, a round is as short as can be, and whoever is new is let in
// however many ask already.
import type { Server } from 'node:http'
import type { Exchange } from './exchange.ts'

/** Requests in the order in which they came. */
export interface Turns {
  /** It is served now, or after those that came before it. */
  take(exchange: Exchange): void
  /** How many wait. */
  waiting(): number
}

/** Milliseconds for answers until what has come is read again: a dozen pages. */
const TURN = 2

/** @param serve starts to answer it; throws nothing */
export function takeTurns(server: Server, serve: (exchange: Exchange) => void): Turns {
  const line: Exchange[] = []
  let isUnderWay = false
  let isSomebodyNew = false
  server.on('connection', () => {
    isSomebodyNew = true
  })
  return {
    take(exchange) {
      if (isUnderWay) {
        line.push(exchange)
        return
      }
      isUnderWay = true
      setImmediate(serveLine)
      serve(exchange)
    },
    waiting: () => line.length,
  }

  function serveLine(): void {
    isUnderWay = line.length > 0
    if (!isUnderWay) return
    setImmediate(serveLine)
    const endsAt = isSomebodyNew ? 0 : performance.now() + TURN
    isSomebodyNew = false
    do serve(line.shift() as Exchange)
    while (line.length > 0 && performance.now() < endsAt)
  }
}
