// The ledger's database, as SQLAlchemy would read its URL, and how many processes may share it.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { section } from './section.ts'
import { parsed, wholeNumber } from './shapes.ts'

/** SQLite's path is absolute, or `:memory:`; PostgreSQL's URL is `postgresql://…`, with the password. */
export type Database =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string }

interface DatabaseSettings {
  readonly database: Database
  readonly workers: number
}

export const database = section(
  'Database and processes',
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
    GATEWAY_CAPTIVE_WORKERS: {
      purpose:
        'Processes that share the port. With more than one, a process more looks after them. Each takes about 80 MB, and up to 10 connections to PostgreSQL.',
      shape: wholeNumber(1, 1024),
      defaultNote: 'one per available CPU; `1` with SQLite',
    },
  },
  (values, reading): DatabaseSettings => {
    const url = values.GATEWAY_CAPTIVE_DATABASE_URL
    const workers = values.GATEWAY_CAPTIVE_WORKERS ?? (url.dialect === 'sqlite' ? 1 : availableParallelism())
    if (workers > 1 && url.dialect === 'sqlite' && url.path === ':memory:') {
      reading.problem('GATEWAY_CAPTIVE_WORKERS', 'must be 1 with SQLite that is kept in memory and in no file')
    }
    return { database: url, workers }
  },
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
