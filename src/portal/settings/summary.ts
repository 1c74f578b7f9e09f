// The configuration for audits, without secrets.

import { shownAddress } from '../../settings/sections/postgres-url.ts'
import type { Config } from './config.ts'

/** Lists every part of the configuration explicitly: the compiler rejects a missing one. */
export function summarise(config: Config) {
  const { environment, release, listen, ops, trustedProxies, publicAddress } = config
  const { brand, locales, timeZone, policy, certificate, deviceProxy, records } = config
  const { payload, session, engine } = config
  const { ackPath, timeoutSeconds, caFile } = engine
  return {
    environment,
    release,
    listen,
    ops,
    trustedProxies,
    publicAddress,
    // Key ids are not secret: every payload carries one.
    payload: { keys: [...payload.keyring.opening.keys()], maxAgeSeconds: payload.maxAgeSeconds },
    session: { secrets: session.secrets.length },
    engine: { url: engine.url?.origin, ackPath, timeoutSeconds, caFile, apiToken: engine.apiToken !== undefined },
    database: databaseOf(config.database),
    brand: brandOf(brand),
    locales,
    timeZone,
    policy,
    certificate,
    deviceProxy,
    records,
  } satisfies Record<keyof Config, unknown>
}

function brandOf({ supportLink, logo, ...brand }: Config['brand']) {
  return { ...brand, supportUrl: supportLink?.href, logo: logo?.path }
}

/** Without credentials, and without parameters, which may contain some. */
function databaseOf(database: Config['database']) {
  if (database.dialect === 'sqlite') return { dialect: database.dialect, path: database.path }
  const { server } = database
  return { dialect: database.dialect, host: shownAddress(server), name: server.database, tls: server.tls }
}
