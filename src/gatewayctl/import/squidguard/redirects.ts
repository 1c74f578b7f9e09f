// Without an address to redirect to, squidGuard blocks nothing.
import type { Acl, Configuration } from './configuration.ts'
import type { Notes } from './notes.ts'
import { isTerminal } from './scopes.ts'

export function noteMissingRedirects({ acls, destinations }: Configuration, notes: Notes): void {
  const fallback = acls.findLast(({ name }) => name === 'default')
  const redirecting = new Set(destinations.filter(({ hasRedirect }) => hasRedirect).map(({ name }) => name))
  for (const acl of acls) {
    if (acl.hasRedirect || fallback?.hasRedirect || !isBlocking(acl, redirecting)) continue
    notes.add(acl.line, `${acl.name}: without redirect, squidGuard passes what it blocks; the policy blocks it`)
  }
}

/** Whether it blocks anything but destinations with an address. */
function isBlocking({ pass }: Acl, redirecting: ReadonlySet<string>): boolean {
  const end = pass.findIndex(isTerminal)
  const entries = end === -1 ? pass : pass.slice(0, end)
  return pass[end]?.name === 'none' || entries.some(({ name, isPassed }) => !isPassed && !redirecting.has(name))
}
