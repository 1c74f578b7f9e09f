// The servers that take part: the portal as it is deployed, and what it is held against.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Contender, contender } from './measure.ts'
import type { Navigation } from './requests.ts'
import { type Cores, type Server, startServer } from './servers.ts'

/** Raw headers (name, value, name, …) and body of an answer. */
export interface Page {
  readonly headers: readonly string[]
  readonly body: string
}

export interface Surroundings {
  /** For files that may go afterwards. */
  readonly folder: string
  readonly cores: Cores | undefined
  /** How many different requests there are. */
  readonly requests: number
}

// Payloads are sealed once, before the first run.
const REPLAY_WINDOW_SECONDS = 24 * 3600
// Every Node server says these by itself.
const OF_THE_CONNECTION = new Set(['date', 'connection', 'keep-alive'])

/** @param secret the one that the payloads are sealed with */
export async function startPortal(secret: string, { folder, cores, requests }: Surroundings): Promise<Contender> {
  const environment = (port: number) => ({
    GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
    GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`,
    GATEWAY_CAPTIVE_OPS_PORT: '0',
    GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
    GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
    GATEWAY_CAPTIVE_SHARED_SECRET: secret,
    GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, 'portal.db')}`,
    GATEWAY_CAPTIVE_SSL_BUMP: 'off',
    ENGINE_INTERNAL_URL: '',
    ENGINE_SIGNATURE_MAX_AGE_SECONDS: `${REPLAY_WINDOW_SECONDS}`,
  })
  const server = await startServer({ name: 'portal', words: () => ['src/portal/main.ts'], environment }, cores)
  return contender('portal', server, new Uint32Array(requests))
}

/**
 * Starts a bare server that sends one page.
 * @param payloadKey the key that it opens each payload with; undefined: it opens none
 */
export async function startBareServer(
  page: Page,
  payloadKey: Buffer | undefined,
  { folder, cores, requests }: Surroundings,
): Promise<Contender> {
  const name = payloadKey === undefined ? 'bare `node:http`' : 'bare `node:http` that opens `p`'
  const file = join(folder, 'page.json')
  writeFileSync(file, JSON.stringify(page))
  const words = (port: number) => ['bench/peers/bare-http.ts', `${port}`, file, payloadKey?.toString('hex') ?? '']
  const server = await startServer({ name, words }, cores)
  return contender(name, server, new Uint32Array(requests).fill(Buffer.byteLength(page.body)))
}

/**
 * The page that answers a navigation.
 * @throws {Error} when it is not that navigation's page
 */
export async function fetchPage({ port }: Server, { target, headers }: Navigation): Promise<Page> {
  const [response] = (await once(get({ host: '127.0.0.1', port, path: target, headers }), 'response')) as [
    IncomingMessage,
  ]
  const body = await text(response)
  const payload = new URLSearchParams(target.slice(target.indexOf('?'))).get('p') as string
  if (response.statusCode !== 200 || !body.includes(payload)) throw new Error('the portal does not show this verdict')
  const fields = response.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && !OF_THE_CONNECTION.has(name.toLowerCase()) ? [name, all[index + 1] as string] : [],
  )
  return { headers: fields, body }
}
