// The whole chain: terminator, portal and engine, over TLS with the certificates that the engine publishes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { API_TOKEN, type RunningEngine, startEngine } from '../engine/running-engine.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { type RunningPortal, startPortal } from '../support/portal.ts'
import { startTerminator, type Terminator } from '../support/terminator.ts'

export interface Chain {
  readonly engine: RunningEngine
  readonly portal: RunningPortal
  readonly terminator: Terminator
  /** PEM of the published CA. */
  readonly ca: string
  /** PEM file of the published CA. */
  readonly caFile: string
  /** The portal's base URL, `https://localhost:PORT`. */
  readonly baseUrl: string
  /** The plain-http address, `http://localhost:PORT`. */
  readonly plainUrl: string
}

/**
 * @param toml the engine's policy
 * @param settings the terminator's settings
 */
export async function startChain(
  t: Cleanup,
  toml: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Chain> {
  const ports = { http: await freePort(), https: await freePort() }
  const engine = await startEngine(t, toml)
  const caFile = join(engine.folder, 'ca', 'ca.crt')
  const baseUrl = `https://localhost:${ports.https}`
  const portal = await startPortal(t, {
    env: {
      ENGINE_INTERNAL_URL: `https://127.0.0.1:${engine.port}`,
      ENGINE_API_TOKEN: API_TOKEN,
      GATEWAY_CAPTIVE_CA_PATH: caFile,
      GATEWAY_CAPTIVE_BASE_URL: baseUrl,
      GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  const leaf = join(engine.folder, 'terminator')
  const terminator = await startTerminator(t, { portal: `127.0.0.1:${portal.port}`, leaf, ports, settings })
  const ca = await readFile(caFile, 'utf8')
  return { engine, portal, terminator, ca, caFile, baseUrl, plainUrl: `http://localhost:${ports.http}` }
}
