// Checks that have to run where the portal runs: its listeners, the engine and its files as seen from its container.
// They are a small script for the container's Node.
import { z } from 'zod'
import { MEMORY_FILE_SYSTEMS } from '../../database/durability.ts'
import { Failure } from '../failure.ts'

export interface ProbeRequest {
  /** http addresses to fetch. */
  readonly urls?: readonly string[]
  /** Files to hash with SHA-256. */
  readonly files?: readonly string[]
  /** `host:port` pairs to connect to. */
  readonly listeners?: readonly string[]
  /** SQLite files whose storage is checked. */
  readonly databases?: readonly string[]
}

const probeResultShape = z.object({
  /** The response, or why there was none. */
  urls: z.record(z.string(), z.union([z.object({ status: z.number(), body: z.string() }), z.string()])),
  /** Lower-case hexadecimal; null for a file that cannot be read. */
  files: z.record(z.string(), z.string().nullable()),
  /** Null if the connection succeeded, otherwise the error. */
  listeners: z.record(z.string(), z.string().nullable()),
  /** As the portal decides it; null for a folder that cannot be read. */
  storage: z.record(z.string(), z.object({ memoryBacked: z.boolean(), inTemporaryFolder: z.boolean() }).nullable()),
})
export type ProbeResult = z.infer<typeof probeResultShape>

const SCRIPT = `
const { connect } = process.getBuiltinModule('node:net')
const { createHash } = process.getBuiltinModule('node:crypto')
const { readFileSync, realpathSync, statfsSync } = process.getBuiltinModule('node:fs')
const { tmpdir } = process.getBuiltinModule('node:os')
const { dirname } = process.getBuiltinModule('node:path')
const { urls = [], files = [], listeners = [], databases = [] } = JSON.parse(process.argv[1])
const all = async (keys, check) => Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await check(key)])))
const reason = (error) => String(error.cause?.code ?? error.code ?? error.message)
const signal = AbortSignal.timeout(3000)
const fetched = async (url) => {
  try {
    const response = await fetch(url, { redirect: 'manual', signal })
    return { status: response.status, body: (await response.text()).slice(0, 100000) }
  } catch (error) { return reason(error) }
}
const digest = (file) => {
  try { return createHash('sha256').update(readFileSync(file)).digest('hex') } catch { return null }
}
const storage = (file) => {
  try {
    const folder = realpathSync(dirname(file))
    const memoryBacked = ${JSON.stringify(MEMORY_FILE_SYSTEMS)}.includes(statfsSync(folder).type)
    const isTemporary = (folder + '/').startsWith(realpathSync(tmpdir()) + '/')
    return { memoryBacked, inTemporaryFolder: isTemporary && !memoryBacked }
  } catch { return null }
}
const listening = (place) => new Promise((resolve) => {
  const at = place.lastIndexOf(':')
  const socket = connect({ host: place.slice(0, at).replace(/^\\[|\\]$/g, ''), port: Number(place.slice(at + 1)), timeout: 3000 })
  const done = (answer) => { socket.destroy(); resolve(answer) }
  socket.on('connect', () => done(null)).on('error', (error) => done(reason(error))).on('timeout', () => done('ETIMEDOUT'))
})
Promise.all([all(urls, fetched), all(files, digest), all(listeners, listening), all(databases, storage)])
  .then(([urls, files, listeners, storage]) => console.log(JSON.stringify({ urls, files, listeners, storage })))
`

/** The arguments of `node` that run the checks. */
export function probeArguments(request: ProbeRequest): readonly string[] {
  return ['-e', SCRIPT, JSON.stringify(request)]
}

/** @throws {Failure} */
export function parseProbeResult(printed: string): ProbeResult {
  try {
    return probeResultShape.parse(JSON.parse(printed))
  } catch {
    throw new Failure(`unexpected output of the checks next to the portal: ${printed.slice(0, 200)}`)
  }
}

/** The address of a path on the portal's listener. */
export function portalUrl(variables: Readonly<Record<string, string | undefined>>, path: string): string {
  const { GATEWAY_CAPTIVE_LISTEN_HOST: host = '0.0.0.0', GATEWAY_CAPTIVE_LISTEN_PORT: port = '8000' } = variables
  return urlOf(host, port, path)
}

/** The same for the operations listener. */
export function opsUrl(variables: Readonly<Record<string, string | undefined>>, path: string): string {
  const { GATEWAY_CAPTIVE_OPS_HOST: host = '127.0.0.1', GATEWAY_CAPTIVE_OPS_PORT: port = '9464' } = variables
  return urlOf(host, port, path)
}

function urlOf(host: string, port: string, path: string): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}${path}`
}
