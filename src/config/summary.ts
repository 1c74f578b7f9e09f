// The configuration as it may be shown: what an audit wants to know of it, and nothing that is secret.
import type { Config } from './config.ts'

/** Every part of the configuration; a part that is missing here is a compile error. */
export function summarise(config: Config) {
  const { engine, payload, session, tracing } = config
  return {
    ...config,
    // Ids of keys: every payload says its own to whoever holds its URL.
    payload: { keys: [...payload.keyring.opening.keys()], maxAgeSeconds: payload.maxAgeSeconds },
    session: { secrets: session.secrets.length },
    engine: { ...engine, url: engine.url?.origin, apiToken: engine.apiToken !== undefined },
    database: databaseOf(config.database),
    tracing: { url: tracing.url?.href, headers: Object.keys(tracing.headers) },
  }
}

/** Where it is: credentials, and parameters that may be some, are left out. */
function databaseOf(database: Config['database']) {
  if (database.dialect === 'sqlite') return database
  const { host, pathname } = new URL(database.url)
  return { dialect: database.dialect, host, name: decodeURIComponent(pathname.slice(1)) }
}
