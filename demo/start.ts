// Starts the reference engine and the portal as processes, and a small gateway in this one, all on loopback. If nginx is
// installed, also a second portal behind the terminator, as in a real deployment.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createGateway } from './gateway.ts'

export interface DemoOptions {
  /** The engine's policy, a TOML file. */
  readonly policyFile: string
  /** Ports for the list of sample sites, in order of preference; 0 is any free one. */
  readonly ports: readonly number[]
  /** Whether the terminator and its portal are started, too. */
  readonly https?: boolean
  /** The portal's base URL, if the caller runs a terminator in front of it. */
  readonly baseUrl?: string
  /** Additional variables of the portal. */
  readonly portalEnv?: Readonly<Record<string, string>>
  readonly onLog?: (program: Program, line: string) => void
  /** Called when a program ends unexpectedly, with its last lines. */
  readonly onFailure?: (program: Program, lastLines: readonly string[]) => void
}

export interface Demo {
  /** The port of the list of sample sites. */
  readonly port: number
  /** The portal's base URL. */
  readonly portalUrl: string
  /** Where the portal listens, `HOST:PORT`. */
  readonly portal: string
  /** The folder that the engine publishes to. */
  readonly published: string
  /** The second portal: its plain-http address, its base URL, and the file with the CA's certificate. */
  readonly https: HttpsPortal | undefined
  /** Stops everything in order and deletes all files. */
  stop(): Promise<void>
}

interface HttpsPortal {
  readonly plainUrl: string
  readonly url: string
  readonly caFile: string
}

type Program = 'engine' | 'portal' | 'https portal' | 'terminator'

const source = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const TERMINATOR = source('deploy/terminator/start')

/** @throws {Error} when a program does not start or no port is free, after stopping everything */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const folder = mkdtempSync(join(memoryFolder(), 'captive-portal-demo-'))
  const children: ChildProcess[] = []
  let gateway: HttpServer | undefined
  let stopping: Promise<void> | undefined

  const stop = () => {
    stopping ??= (async () => {
      gateway?.close()
      gateway?.closeAllConnections()
      await Promise.all(children.map(endChild))
      rmSync(folder, { recursive: true, force: true })
    })()
    return stopping
  }

  try {
    const secretFile = join(folder, 'secret')
    writeFileSync(secretFile, randomBytes(32).toString('base64url'), { mode: 0o600 })
    const apiToken = randomBytes(32).toString('base64url')
    const apiTokenFile = join(folder, 'engine-api-token')
    writeFileSync(apiTokenFile, apiToken, { mode: 0o600 })
    const certificates = join(folder, 'certificates')
    const engineCaFile = join(certificates, 'ca', 'ca.crt')
    const portalPort = await freePort()
    const portalUrl = options.baseUrl ?? `http://localhost:${portalPort}`

    const engine = await start('engine', [
      ...[process.execPath, source('src/engine/main.ts'), '--config', options.policyFile, '--listen', '127.0.0.1:0'],
      ...['--publish', certificates, '--base-url', portalUrl, '--secret-file', secretFile],
      ...['--api-token-file', apiTokenFile],
    ])
    const startPortal = (program: Program, baseUrl: string, port: number) =>
      start(program, [process.execPath, source('src/portal/main.ts')], {
        GATEWAY_CAPTIVE_SHARED_SECRET_FILE: secretFile,
        GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
        GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, `${port}.db`)}`,
        GATEWAY_CAPTIVE_BASE_URL: baseUrl,
        GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
        GATEWAY_CAPTIVE_LISTEN_PORT: String(port),
        GATEWAY_CAPTIVE_OPS_PORT: '0',
        GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
        GATEWAY_CAPTIVE_CA_PATH: engineCaFile,
        ENGINE_INTERNAL_URL: engine,
        ENGINE_API_TOKEN_FILE: apiTokenFile,
        ...options.portalEnv,
      })
    await startPortal('portal', portalUrl, portalPort)
    const https = options.https ? await startHttps() : undefined
    const certificatePage = https && `${https.plainUrl}/ca`
    const engineCa = readFileSync(engineCaFile)
    gateway = createGateway({ engineUrl: new URL(engine), engineCa, apiToken, certificatePage })
    const port = await listen(gateway, options.ports)
    return { port, portalUrl, portal: `127.0.0.1:${portalPort}`, published: certificates, https, stop }

    async function startHttps(): Promise<HttpsPortal> {
      const http = await freePort(8081)
      const https = await freePort(8443)
      const port = await freePort()
      const url = `https://localhost:${https}`
      await startPortal('https portal', url, port)
      await start(
        'terminator',
        [TERMINATOR],
        {
          PATH: process.env.PATH,
          TERMINATOR_PORTAL: `127.0.0.1:${port}`,
          TERMINATOR_LEAF: join(certificates, 'terminator'),
          TERMINATOR_RUN: join(folder, 'terminator'),
          TERMINATOR_HTTP: `127.0.0.1:${http}`,
          TERMINATOR_HTTPS: `127.0.0.1:${https}`,
        },
        isListening(https, () => stopping !== undefined).then(() => url),
      )
      return { plainUrl: `http://localhost:${http}`, url, caFile: engineCaFile }
    }
  } catch (error) {
    await stop()
    throw error
  }

  /**
   * Starts a program that the demo stops at its end.
   * @param up resolves when it is ready, for a program that does not log `listening`
   * @returns its address
   */
  async function start(
    program: Program,
    [command = '', ...args]: readonly string[],
    env: NodeJS.ProcessEnv = {},
    up?: Promise<string>,
  ): Promise<string> {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    up?.then(resolve)
    const lastLines: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        if (lastLines.push(line) > 10) lastLines.shift()
        options.onLog?.(program, line)
        const address = /listening.*?(https?:\/\/[^\s"]+)/.exec(line)?.[1]
        if (address !== undefined) resolve(address)
      })
    }
    child.on('error', reject)
    child.on('close', (status) => {
      if (stopping !== undefined) return
      options.onFailure?.(program, lastLines)
      reject(new Error(`the ${program} ended with status ${status}`))
    })
    return await promise
  }
}

/** The folders that are searched for nginx. */
const NGINX_FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']

export function hasNginx(): boolean {
  return process.platform !== 'win32' && NGINX_FOLDERS.some((folder) => existsSync(join(folder, 'nginx')))
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function listen(server: Server, [port, ...others]: readonly number[]): Promise<number> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (others.length > 0) return await listen(server, others)
    throw error
  }
  return (server.address() as AddressInfo).port
}

/** A free port on loopback: the preferred one if possible. */
async function freePort(preferred = 0): Promise<number> {
  const probe = createServer()
  const port = await listen(probe, preferred === 0 ? [0] : [preferred, 0])
  probe.close()
  return port
}

/** Resolves when the port accepts connections, or `isOver` returns true. */
async function isListening(port: number, isOver: () => boolean): Promise<void> {
  for (let isOpen = false; !isOpen && !isOver(); await sleep(50)) {
    const socket = connect(port, '127.0.0.1')
    isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
  }
}

/** A folder in memory if the system has one. */
function memoryFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
