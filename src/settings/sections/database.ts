// A database's address, as SQLAlchemy would read its URL; and the ledger's.
import { resolve } from 'node:path'
import * as z from 'zod'
import type { ReadFile } from '../file.ts'
import { loadSection } from '../load-section.ts'
import type { Environment } from '../reading.ts'
import { section } from '../section.ts'
import { isLoopback, text } from '../shapes.ts'
import { escaped } from '../shown.ts'
import { DATABASE_URL_FORM, type PostgresServer, PostgresUrlFault, parsePostgresUrl } from './postgres-url.ts'

/** SQLite's path is absolute, or `:memory:`; PostgreSQL's server has the password. */
export type DatabaseLocation =
  | {
      readonly dialect: 'sqlite'
      readonly path: string
      /** Whether the URL's path is relative to the working folder. */
      readonly isRelative?: true
    }
  | { readonly dialect: 'postgres'; readonly server: PostgresServer }

interface DatabaseSettings {
  readonly database: DatabaseLocation
}

export const databaseUrl = z
  .string({ error: (issue) => (issue.input === undefined ? undefined : DATABASE_URL_FORM) })
  .transform((text, context) => {
    const location = /^sqlite\b/i.test(text) ? parseSqlite(text) : parsePostgres(text)
    if (typeof location !== 'string') return location
    context.addIssue(location)
    return z.NEVER
  })
  .describe(DATABASE_URL_FORM)

export const database = section(
  'Database',
  {
    GATEWAY_CAPTIVE_DATABASE_URL: {
      purpose:
        'Where acceptances are kept: [PostgreSQL](install.md#postgresql-urls), or SQLite: an absolute path has four slashes; `sqlite://` is memory. The image sets `sqlite:////dev/shm/portal.db`, which is lost with the container.',
      shape: databaseUrl,
      required: true,
      secret: true,
    },
    GATEWAY_CAPTIVE_DATABASE_PASSWORD: {
      purpose:
        'Password for a PostgreSQL URL without one, not percent-encoded. Deployments read it from `secrets/database-password`.',
      shape: text(1, 1000),
      secret: true,
    },
  },
  (values, reading): DatabaseSettings => {
    const database = withPassword(values.GATEWAY_CAPTIVE_DATABASE_URL, values.GATEWAY_CAPTIVE_DATABASE_PASSWORD)
    const notice = transportNotice(database)
    if (notice !== undefined) reading.warn(notice)
    return { database }
  },
)

/**
 * Reads the database's variables, or the files that their `_FILE` variables name, as the portal does.
 * @throws {ConfigProblems}
 */
export function loadDatabase(env: Environment, readFile?: ReadFile): DatabaseLocation {
  return loadSection(database, env, readFile).part.database
}

/** The start's warning about a connection that others could read or change; undefined if it is local or verified. */
export function transportNotice(location: DatabaseLocation): string | undefined {
  if (location.dialect === 'sqlite') return undefined
  const { host, tls, isTlsChosen } = location.server
  if (
    tls === 'verified' ||
    // Then somebody has decided that the network is trusted.
    (tls === 'none' && isTlsChosen) ||
    host.startsWith('/') ||
    isLoopback({ hostname: host.includes(':') ? `[${host}]` : host })
  )
    return undefined
  const alternative = tls === 'none' ? ', sslmode=disable says that the network is trusted' : ''
  return `the connection to PostgreSQL at ${host} ${WEAKNESS[tls]}: sslmode=verify-full in the database's URL verifies the server${alternative}`
}

const WEAKNESS = {
  none: 'is not encrypted',
  unverified: 'is encrypted, but the server is not verified',
  authority: "is encrypted, but the server's name is not verified",
}

function withPassword(location: DatabaseLocation, password: string | undefined): DatabaseLocation {
  if (location.dialect === 'sqlite' || password === undefined) return location
  return { ...location, server: { ...location.server, password: location.server.password ?? password } }
}

/** @returns the rule that it breaks */
function parseSqlite(text: string): DatabaseLocation | string {
  const [matched, path, query] = /^sqlite(?:\+\w+)?:\/\/(?:\/([^?\0]*))?(?:\?([^\0]*))?$/is.exec(text) ?? []
  if (matched === undefined) return DATABASE_URL_FORM
  if (query !== undefined) {
    const [name = ''] = query.split(/[=&]/)
    return `must be sqlite:///<path> without parameters; it has "${escaped(name.slice(0, 40))}"`
  }
  if (path === undefined || path === '' || path === ':memory:') return { dialect: 'sqlite', path: ':memory:' }
  const isRelative = !path.startsWith('/')
  return { dialect: 'sqlite', path: resolve(path), ...(isRelative && { isRelative }) }
}

/** @returns the rule that it breaks */
function parsePostgres(text: string): DatabaseLocation | string {
  try {
    return { dialect: 'postgres', server: parsePostgresUrl(text) }
  } catch (error) {
    if (error instanceof PostgresUrlFault) return error.message
    throw error
  }
}
