// A database's address, as SQLAlchemy would read its URL; and the ledger's.
import { resolve } from 'node:path'
import { section } from './section.ts'
import { parsed, text } from './shapes.ts'

/** SQLite's path is absolute, or `:memory:`; PostgreSQL's URL is `postgresql://…`, with the password. */
export type DatabaseLocation =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string }

interface DatabaseSettings {
  readonly database: DatabaseLocation
}

export const databaseUrl = parsed(
  'sqlite:///<path>, or postgresql://<user>:<password>@<host>:<port>/<database> with special characters percent-encoded',
  (text) => parseSqlite(text) ?? parsePostgres(text),
)

export const database = section(
  'Database',
  {
    GATEWAY_CAPTIVE_DATABASE_URL: {
      purpose:
        'Where acceptances are kept. An absolute SQLite path has four slashes; `sqlite://` is memory. The image sets `sqlite:////dev/shm/portal.db`, which is lost with the container.',
      shape: databaseUrl,
      required: true,
      secret: true,
    },
    GATEWAY_CAPTIVE_DATABASE_PASSWORD: {
      purpose:
        'Password for a PostgreSQL URL without one, not percent-encoded. `compose.yaml` and the unit read it from `secrets/database-password`.',
      shape: text(1, 1000),
      secret: true,
    },
  },
  (values): DatabaseSettings => ({
    database: withPassword(values.GATEWAY_CAPTIVE_DATABASE_URL, values.GATEWAY_CAPTIVE_DATABASE_PASSWORD),
  }),
)

function withPassword(location: DatabaseLocation, password: string | undefined): DatabaseLocation {
  if (location.dialect === 'sqlite' || password === undefined) return location
  const url = new URL(location.url)
  // The setter leaves a percent sign as it is.
  if (url.password === '') url.password = encodeURIComponent(password)
  return { ...location, url: url.href }
}

function parseSqlite(text: string): DatabaseLocation | undefined {
  const [matched, path] = /^sqlite(?:\+\w+)?:\/\/(?:\/([^?\0]*))?$/s.exec(text) ?? []
  if (matched === undefined) return undefined
  return {
    dialect: 'sqlite',
    path: path === undefined || path === '' || path === ':memory:' ? ':memory:' : resolve(path),
  }
}

function parsePostgres(text: string): DatabaseLocation | undefined {
  const [, rest] = /^(?:postgres|postgresql(?:\+\w+)?):\/\/(\S+)$/.exec(text) ?? []
  const url = rest === undefined ? null : URL.parse(`postgresql://${rest}`)
  // A bare `/`, `?` or `#` in a password would turn the text before it into a host, and errors would name it.
  if (url === null || !/^\/[^/?@#]+(\?[^@#]*)?$/.test(url.pathname + url.search + url.hash)) return undefined
  try {
    decodeURIComponent(url.href)
  } catch {
    return undefined
  }
  return { dialect: 'postgres', url: url.href }
}
