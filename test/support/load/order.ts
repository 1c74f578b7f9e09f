// Which request of a target is sent next, and on which connection.
import type { Client, Target } from './client.ts'

export interface Order {
  /** @returns the place of the next request's client; -1 if it is not idle */
  placeOfNext(idle: readonly Client[]): number
  sendNext(client: Client, due: number): void
}

/** @param first the first request of this run, or the first visit */
export function orderOf(target: Target, clients: readonly Client[], first: number): Order {
  return target.visits === undefined ? inTurn(target, clients, first) : byVisits(target, first)
}

function inTurn({ requests, isBoundToConnection }: Target, clients: readonly Client[], first: number): Order {
  let next = first
  return {
    placeOfNext: (idle) =>
      isBoundToConnection ? idle.indexOf(clients[next % clients.length] as Client) : idle.length - 1,
    sendNext: (client, due) => client.send(next++ % requests.length, due),
  }
}

/** Each client makes one visit after the other. */
function byVisits({ visits = [] }: Target, first: number): Order {
  const current = new Map<Client, { next: number; readonly end: number }>()
  let nextVisit = first
  return {
    placeOfNext: (idle) => idle.length - 1,
    sendNext(client, due) {
      const visit = current.get(client)
      if (visit !== undefined && visit.next < visit.end) {
        client.send(visit.next++, due)
        return
      }
      const { host, from, requests } = visits[nextVisit++ % visits.length] as (typeof visits)[number]
      current.set(client, { next: from + 1, end: from + requests })
      client.send(from, due, host)
    },
  }
}
