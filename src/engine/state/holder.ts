// The key of a user or client in the tables and in memory: whose session or lockout it is.
import type { Identity } from '../request/decision-request.ts'

/** A session is for one address: other addresses of a /64 have acknowledged nothing. */
export function sessionHolder({ user, client }: Identity): string {
  return user === undefined ? `client ${client.address}` : userHolder(user)
}

/** A lockout is for a /64: a client can choose any address in it. */
export function lockoutHolder({ user, client }: Identity): string {
  return user === undefined ? `client ${client.network}` : userHolder(user)
}

export function userHolder(user: string): string {
  return `user ${user}`
}

/** The user that a holder names; undefined for a client. */
export function userOf(holder: string): string | undefined {
  return holder.startsWith('user ') ? holder.slice('user '.length) : undefined
}
