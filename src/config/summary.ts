// The configuration as it may be shown: what an audit wants to know of it, and nothing that is secret.
import type { Config } from './config.ts'

/** Every part of the configuration is named here, so that none is shown, or left out, by itself. */
export function summarise(config: Config) {
  const { environment, release, listen, ops, trustedProxies, publicAddress } = config
  const { brand, locales, policy, certificate, records } = config
  const { payload, session, engine, tracing } = config
  const { ackPath, timeoutSeconds, caFile } = engine
  return {
    environment,
    release,
    listen,
    ops,
    trustedProxies,
    publicAddress,
    // Ids of keys: every payload says its own to whoever holds its URL.
    payload: { keys: [...payload.keyring.opening.keys()], maxAgeSeconds: payload.maxAgeSeconds },
    session: { secrets: session.secrets.length },
    engine: { url: engine.url?.origin, ackPath, timeoutSeconds, caFile, apiToken: engine.apiToken !== undefined },
    database: databaseOf(config.database),
    brand,
    locales,
    policy,
    certificate,
    records,
    tracing: { url: tracing.url?.href, headers: Object.keys(tracing.headers) },
  } satisfies Record<keyof Config, unknown>
}

/** Where it is: credentials, and parameters that may be some, are left out. */
function databaseOf(database: Config['database']) {
  if (database.dialect === 'sqlite') return database
  const { host, pathname } = new URL(database.url)
  return { dialect: database.dialect, host, name: decodeURIComponent(pathname.slice(1)) }
}
