// The ledger's database, as SQLAlchemy would read its URL.
import { resolve } from 'node:path'
import { section } from './section.ts'
import { parsed } from './shapes.ts'

/** SQLite's path is absolute, or `:memory:`; PostgreSQL's URL is `postgresql://…`, with the password. */
export type Database =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string }

interface DatabaseSettings {
  readonly database: Database
}

export const database = section(
  'Database',
  {
    GATEWAY_CAPTIVE_DATABASE_URL: {
      purpose:
        'Where acceptances are kept. What follows the third slash of an SQLite URL is the path, so an absolute one has four; `sqlite://` is kept in memory. The driver of a PostgreSQL URL is ignored. The image sets `sqlite:////dev/shm/portal.db`, which ends with the container.',
      shape: parsed(
        'sqlite:///<path>, or postgresql://<user>:<password>@<host>:<port>/<database> with special characters percent-encoded',
        (text) => parseSqlite(text) ?? parsePostgres(text),
      ),
      required: true,
      secret: true,
    },
  },
  (values): DatabaseSettings => ({ database: values.GATEWAY_CAPTIVE_DATABASE_URL }),
)

function parseSqlite(text: string): Database | undefined {
  const [matched, path] = /^sqlite(?:\+\w+)?:\/\/(?:\/([^?\0]*))?$/s.exec(text) ?? []
  if (matched === undefined) return undefined
  return {
    dialect: 'sqlite',
    path: path === undefined || path === '' || path === ':memory:' ? ':memory:' : resolve(path),
  }
}

function parsePostgres(text: string): Database | undefined {
  const [, rest] = /^(?:postgres|postgresql(?:\+\w+)?):\/\/(\S+)$/.exec(text) ?? []
  const url = rest === undefined ? null : URL.parse(`postgresql://${rest}`)
  // A bare `/`, `?` or `#` in a password would make a host of what stands before it, and errors would name it.
  if (url === null || !/^\/[^/?@#]+(\?[^@#]*)?$/.test(url.pathname + url.search + url.hash)) return undefined
  try {
    decodeURIComponent(url.href)
  } catch {
    return undefined
  }
  return { dialect: 'postgres', url: url.href }
}
