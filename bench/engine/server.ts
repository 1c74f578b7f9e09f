// An engine as a process, with one list, and a client that requests one decision at a time.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { freePort } from '../../test/support/free-port.ts'
import { type ServerPlan, startServer } from '../../test/support/servers.ts'
import { type BenchEnvironment, bundle, folderOf } from '../environment.ts'
import { writeList, writeUrls } from './list.ts'

export interface ListEngine {
  readonly names: number
  /** On the list in addition. */
  readonly urls: number
  readonly plan: ServerPlan
  readonly icapPort: number
  /** The list's file. */
  readonly list: string
  /** For both doors. */
  readonly token: string
  readonly tokenFile: string
  /** The folder with its certificates. */
  readonly published: string
  /** What signs its certificate. */
  readonly ca: Buffer
}

export interface EngineChanges {
  /** For its metrics. */
  readonly opsPort?: number
  /** TOML at the end of the policy. */
  readonly rules?: string
  /** The number of URLs on its list. */
  readonly urls?: number
}

export interface Probe {
  /** Undefined when the engine does not respond. */
  verdictOn(host: string): Promise<string | undefined>
  close(): void
}

const POLICY = `[captive_portal]
base_url = "https://portal.example"

[ops]
listen = ""

[[lists]]
name = "trackers"
path = "list.txt"

[[rules]]
name = "block-trackers"
description = "Advertising and tracking are blocked by company policy."
category = "Advertising & tracking"
lists = ["trackers"]
action = "block"

[[rules]]
name = "news-in-working-hours"
description = "News sites are for breaks. You can go on if you need this one for your work."
category = "News and media"
match = [".news.example"]
action = "warn"
session_minutes = 1440
`

/** Writes its files, with a list of this many names, and starts it once, which creates its certificates and state. */
export async function prepareEngine(
  environment: Pick<BenchEnvironment, 'folder' | 'cores'>,
  name: string,
  names: number,
  { opsPort, rules = '', urls = 0 }: EngineChanges = {},
): Promise<ListEngine> {
  const folder = folderOf(environment, name)
  const [config, list] = [join(folder, 'policy.toml'), join(folder, 'list.txt')]
  const [secretFile, tokenFile, published] = ['secret', 'token', 'published'].map((file) => join(folder, file)) as [
    string,
    string,
    string,
  ]
  const token = randomBytes(32).toString('base64url')
  const policy = urls === 0 ? POLICY : POLICY.replace(/^path = .*$/m, '$&\nurls = "urls.txt"')
  writeFileSync(config, `${policy}${rules}`)
  writeFileSync(secretFile, randomBytes(32).toString('base64url'), { mode: 0o600 })
  writeFileSync(tokenFile, token, { mode: 0o600 })
  writeList(list, names)
  if (urls > 0) writeUrls(join(folder, 'urls.txt'), urls)
  const program = bundle(environment.folder, 'engine')
  const icapPort = await freePort()
  const words = (port: number) => [
    ...[program, '--config', config, '--publish', published, '--listen', `127.0.0.1:${port}`],
    ...['--icap', `127.0.0.1:${icapPort}`, '--icap-token-file', tokenFile],
    ...['--secret-file', secretFile, '--api-token-file', tokenFile],
    ...(opsPort === undefined ? [] : ['--ops', `127.0.0.1:${opsPort}`]),
  ]
  const plan = { name: 'the engine', words }
  await (await startServer(plan, environment.cores)).stop()
  const ca = readFileSync(join(published, 'ca', 'ca.crt'))
  return { names, urls, plan, icapPort, list, token, tokenFile, published, ca }
}

export function createProbe({ token, ca }: ListEngine, port: number): Probe {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    async verdictOn(host) {
      const sent = request({ host: '127.0.0.1', port, path: '/api/decision', method: 'POST', agent, headers })
      try {
        sent.end(JSON.stringify({ url: `https://${host}/`, client: '198.51.100.7' }))
        const [response] = await once(sent, 'response')
        const { verdict } = (await json(response)) as { readonly verdict: string }
        return verdict
      } catch {
        return undefined
      }
    },
    close: () => agent.destroy(),
  }
}
