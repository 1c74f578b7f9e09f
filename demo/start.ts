// Starts the reference engine, the portal and a small gateway on loopback, as separate processes but for the last.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createGateway } from './gateway.ts'

export interface DemoOptions {
  /** The engine's policy, a TOML file. */
  readonly policyFile: string
  /** Ports for the list of sample sites, in order of preference; 0 takes a free one. */
  readonly ports: readonly number[]
  /** Variables of the portal beyond what it needs to run here. */
  readonly portalEnv?: Readonly<Record<string, string>>
  readonly onLog?: (program: Program, line: string) => void
  /** A program ended by itself; its last lines. */
  readonly onFailure?: (program: Program, lastLines: readonly string[]) => void
}

export interface Demo {
  /** Where the list of sample sites is. */
  readonly port: number
  /** The portal's base URL. */
  readonly portalUrl: string
  /** Ends everything in order and leaves no file behind. */
  stop(): Promise<void>
}

type Program = 'engine' | 'portal'

interface Child {
  readonly process: ChildProcess
  /** The address in its `listening` line. */
  readonly address: string
}

/** @throws {Error} when a program does not come up or no port is free; nothing is left running then */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const folder = mkdtempSync(join(memoryFolder(), 'captive-portal-demo-'))
  const children: ChildProcess[] = []
  let gateway: Server | undefined
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
    const certificates = join(folder, 'certificates')
    const engineCaFile = join(certificates, 'ca', 'ca.crt')
    const portalPort = await freePort()
    const portalUrl = `http://localhost:${portalPort}`

    const engine = await start('engine', [
      ...['--config', options.policyFile, '--listen', '127.0.0.1:0', '--publish', certificates],
      ...['--base-url', portalUrl, '--secret-file', secretFile],
    ])
    await start('portal', [], {
      GATEWAY_CAPTIVE_SHARED_SECRET_FILE: secretFile,
      GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
      GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, 'portal.db')}`,
      GATEWAY_CAPTIVE_BASE_URL: portalUrl,
      GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
      GATEWAY_CAPTIVE_LISTEN_PORT: String(portalPort),
      GATEWAY_CAPTIVE_CA_PATH: engineCaFile,
      ENGINE_INTERNAL_URL: engine.address,
      ...options.portalEnv,
    })
    gateway = createGateway({ engineUrl: new URL(engine.address), engineCa: readFileSync(engineCaFile) })
    return { port: await listen(gateway, options.ports), portalUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }

  async function start(program: Program, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Child> {
    const source = fileURLToPath(new URL(`../src/${program}/main.ts`, import.meta.url))
    const child = spawn(process.execPath, [source, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const lastLines: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        if (lastLines.push(line) > 10) lastLines.shift()
        options.onLog?.(program, line)
        const address = /listening.*?(https?:\/\/[^\s"]+)/.exec(line)?.[1]
        if (address !== undefined) resolve(address)
      })
    }
    child.on('close', (status) => {
      if (stopping !== undefined) return
      options.onFailure?.(program, lastLines)
      reject(new Error(`the ${program} ended with status ${status}`))
    })
    return { process: child, address: await promise }
  }
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

/** A port of the loopback address that nothing listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

/** A folder in memory where the system has one. */
function memoryFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
