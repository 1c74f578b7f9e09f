// Shared by the tests of the relay: a portal with a hostile engine, acknowledgements of every kind, and access to ledger
// and log.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { type Behaviour, type HostileEngine, startHostileEngine } from '../../support/hostile-engine.ts'
import { ACK_TOKEN, claims, verdictQuery } from '../../support/payloads.ts'
import { NOW, type PortalOptions, type RunningPortal, startPortal } from '../../support/portal.ts'
import { until } from '../../support/until.ts'
import type { Exchanged } from '../exchange.ts'

export interface Relay {
  readonly portal: RunningPortal
  readonly engine: HostileEngine
  close(): Promise<void>
}

/** Without a test, `close` ends both. */
export async function startRelay(
  t: Cleanup | undefined,
  behaviour: Behaviour,
  { env, ...options }: PortalOptions = {},
): Promise<Relay> {
  const engine = await startHostileEngine(undefined, behaviour)
  const portal = await startPortal(undefined, { ...options, env: { ENGINE_INTERNAL_URL: engine.url, ...env } })
  const close = async () => {
    // The engine first: that ends the portal's pending requests.
    await engine.close()
    await portal.close()
  }
  t?.after(close)
  return { portal, engine, close }
}

export interface TestAcknowledgement {
  readonly target: string
  /** Path and query of the verdict's own page. */
  readonly page: string
  readonly reference: string
  readonly query: string
  readonly p: string
}

/** An acknowledgement of a policy without a code, with the test's changes. */
export function acknowledgement(changes: Partial<VerdictClaims> = {}): TestAcknowledgement {
  const sealed = claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN, ...changes })
  const query = verdictQuery(sealed)
  return {
    target: `/api/captive/ack?${query}`,
    page: `/${sealed.kind === 'warn' ? 'warned' : sealed.kind}?${query}`,
    reference: sealed.jti,
    query,
    p: query.slice(2, query.indexOf('&')),
  }
}

export const PASSPHRASE = { override: { type: 'passphrase' } } as const satisfies Partial<VerdictClaims>

/** The bytes of a GET that asks for the connection to be closed, with these header lines. */
export function getBytes(target: string, headers: readonly string[] = []): string {
  return [`GET ${target} HTTP/1.1`, 'Host: portal.example', 'Connection: close', ...headers, '', ''].join('\r\n')
}

export interface Acceptance {
  readonly state: string
  readonly attempts: number
  readonly document_source: string
  readonly client_address: string | null
}

/** The row of this verdict, read from the file on a separate connection. */
export function acceptanceOf({ databasePath }: RunningPortal, reference: string): Acceptance | undefined {
  return onDatabase(databasePath, (database) =>
    database
      .prepare('select state, attempts, document_source, client_address from acceptance where jti = :reference')
      .get({ reference }),
  ) as Acceptance | undefined
}

/** How many acceptances are on record. */
export function acceptancesOf({ databasePath }: RunningPortal): number {
  return onDatabase(databasePath, (database) =>
    Number(database.prepare('select count(*) as rows from acceptance').get()?.rows),
  )
}

/** The engine's status of every attempt, in order; `open` without a response. */
export function attemptsOf({ databasePath }: RunningPortal, reference: string): (number | null | 'open')[] {
  const rows = onDatabase(databasePath, (database) =>
    database
      .prepare('select answered_at, engine_status from attempt where jti = :reference order by id')
      .all({ reference }),
  )
  return rows.map(({ answered_at, engine_status }) =>
    answered_at === null ? 'open' : (engine_status as number | null),
  )
}

function onDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { timeout: 2_000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** The one line about the one request that carried this verdict; it is written just after the response. */
export async function requestLine(portal: RunningPortal, reference: string): Promise<Record<string, unknown>> {
  const lines = await until(() => {
    const found = portal.logged().filter((line) => line.msg === 'request' && line.reference === reference)
    return found.length > 0 ? found : undefined
  })
  assert.equal(lines.length, 1)
  return lines[0] as Record<string, unknown>
}

/** The headers of every response by the portal itself (protocol v1, section 1). */
export function assertOwnResponse({ headers, body }: Exchanged, kind: 'page' | 'problem'): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
  assert.match(headers.get('permissions-policy') ?? '', /clipboard-write=\(self\)/)
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.equal(headers.get('x-robots-tag'), 'noindex')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.match(headers.get('x-portal-version') ?? '', /^[0-9]{4}\./)
  assert.equal(headers.get('location'), undefined)
  assert.equal(headers.get('server') ?? headers.get('x-powered-by') ?? headers.get('set-cookie'), undefined)
  assert.doesNotMatch(body, /\bat .+:[0-9]+:[0-9]+/)
  if (kind === 'page') {
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; .*frame-ancestors 'none'$/)
  } else {
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json(; charset=utf-8)?$/)
  }
}
