// The settings of every measured portal.
import { randomBytes } from 'node:crypto'
import type { EngineProcess } from '../test/support/engine-process.ts'

/** One process behind a terminator on loopback, with the engine. */
export function portalVariables({ portalVariables }: EngineProcess, port: number, databaseUrl: string) {
  return {
    ...portalVariables,
    GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
    GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`,
    GATEWAY_CAPTIVE_OPS_PORT: '0',
    GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
    GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
    GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl,
  }
}
