// Starts the engine and the portal as processes, and a small gateway in this one, all on loopback. If nginx
// is installed, also a second portal behind the terminator, as in a real deployment. With the proxy, that portal is the
// only one, and https sites are behind Squid.
import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pacFile } from '../src/network/pac-file.ts'
import { createGateway, PAC_PATH } from './gateway.ts'
import { freePort, isListening, listen } from './ports.ts'
import { createPrograms, type Program, type ProgramsOptions } from './programs.ts'
import { openToSquid } from './squid-user.ts'

export interface DemoOptions extends ProgramsOptions {
  /** The engine's policy, a TOML file. */
  readonly policyFile: string
  /** Ports for the list of sample sites, in order of preference; 0 for any free port, then of the other programs, too. */
  readonly ports: readonly number[]
  /** Whether the terminator and its portal are started, too. */
  readonly https?: boolean
  /** With `https`: whether Squid is started, too. */
  readonly proxy?: boolean
  /** The portal's base URL, if the caller runs a terminator in front of it. */
  readonly baseUrl?: string
  /** Additional variables of the portal. */
  readonly portalEnv?: Readonly<Record<string, string>>
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
  readonly https: HttpsPortal | undefined
  readonly behindProxy: BehindProxy | undefined
  /** Stops everything in order and deletes all files. */
  stop(): Promise<void>
}

/** The terminator's portal: its plain-http address, its base URL, and the file with the CA's certificate. */
interface HttpsPortal {
  readonly plainUrl: string
  readonly url: string
  readonly caFile: string
}

/** What a browser needs behind the proxy. */
export interface BehindProxy {
  readonly pacUrl: string
  /** Certificates to trust, PEM. */
  readonly trusted: readonly string[]
}

const source = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** @throws {Error} when a program does not start or no port is free, after stopping everything */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const folder = mkdtempSync(join(memoryFolder(), 'captive-portal-demo-'))
  const programs = createPrograms(options)
  const closers: (() => void)[] = []
  let stopping: Promise<void> | undefined

  const stop = () => {
    stopping ??= (async () => {
      for (const close of closers) close()
      await programs.stop()
      rmSync(folder, { recursive: true, force: true })
    })()
    return stopping
  }
  const writeSecret = (name: string) => {
    const [path, secret] = [join(folder, name), newSecret()]
    writeFileSync(path, secret, { mode: 0o600 })
    return { path, secret }
  }

  // Of all pages.
  const { GATEWAY_ORG_NAME = '', GATEWAY_CAPTIVE_BRAND_PALETTE = '' } = options.portalEnv ?? {}
  const look = { GATEWAY_ORG_NAME, GATEWAY_CAPTIVE_BRAND_PALETTE }

  try {
    const secretFile = writeSecret('secret').path
    const apiToken = writeSecret('engine-api-token')
    const icapTokenFile = writeSecret('icap-token').path
    const published = join(folder, 'certificates')
    const engineCaFile = join(published, 'ca', 'ca.crt')
    const portalPort = await freePort()
    // Two demos that start together would both find the same preferred port free.
    const anyPort = options.ports[0] === 0
    const terminatorPorts = { http: await freePort(anyPort ? 0 : 8081), https: await freePort(anyPort ? 0 : 8443) }
    const https = options.https ? httpsPortal() : undefined
    const proxyPort = options.proxy && https ? await freePort(anyPort ? 0 : 3128) : undefined
    const icap = `127.0.0.1:${await freePort()}`
    const plainUrl = `http://localhost:${portalPort}`
    const portalUrl = options.baseUrl ?? (options.proxy && https ? https.url : plainUrl)
    if (proxyPort !== undefined) openToSquid(folder, published, [icapTokenFile])

    const engine = await programs.start(
      'engine',
      [
        ...[process.execPath, source('src/engine/main.ts'), '--config', options.policyFile, '--listen', '127.0.0.1:0'],
        ...['--publish', published, '--secret-file', secretFile],
        ...['--api-token-file', apiToken.path],
        ...(proxyPort !== undefined ? ['--icap', icap, '--icap-token-file', icapTokenFile] : []),
      ],
      { env: { GATEWAY_CAPTIVE_BASE_URL: portalUrl } },
    )
    const gateway = createGateway({
      engineUrl: new URL(engine),
      engineCa: readFileSync(engineCaFile),
      apiToken: apiToken.secret,
      certificatePage: https && `${https.plainUrl}/ca`,
      pac: proxyPort === undefined ? undefined : pacFile({ host: '127.0.0.1', port: proxyPort }, ['localhost']),
    })
    closers.push(() => {
      gateway.close()
      gateway.closeAllConnections()
    })
    const port = await listen(gateway, options.ports)
    const list = `http://localhost:${port}/`
    const [behindProxy] = await Promise.all([startBehindProxy(), startPortals()])
    return { port, portalUrl, portal: `127.0.0.1:${portalPort}`, published, https, behindProxy, stop }

    function httpsPortal(): HttpsPortal {
      const { http, https } = terminatorPorts
      return { plainUrl: `http://localhost:${http}`, url: `https://localhost:${https}`, caFile: engineCaFile }
    }

    async function startPortals(): Promise<void> {
      await startPortal('portal', portalUrl, portalPort)
      if (https === undefined) return
      // A portal has one base URL.
      const behindTerminator = portalUrl === https.url ? portalPort : await freePort()
      if (behindTerminator !== portalPort) await startPortal('https portal', https.url, behindTerminator)
      await programs.start('terminator', [source('deploy/terminator/start')], {
        env: {
          PATH: process.env.PATH,
          TERMINATOR_PORTAL: `127.0.0.1:${behindTerminator}`,
          TERMINATOR_LEAF: join(published, 'terminator'),
          TERMINATOR_RUN: join(folder, 'terminator'),
          TERMINATOR_HTTP: `127.0.0.1:${terminatorPorts.http}`,
          TERMINATOR_HTTPS: `127.0.0.1:${terminatorPorts.https}`,
          ...look,
        },
        up: (isOver) => isListening(terminatorPorts.https, isOver).then(() => https.url),
      })
    }

    async function startPortal(program: Program, baseUrl: string, port: number): Promise<void> {
      await programs.start(program, [process.execPath, source('src/portal/main.ts')], {
        env: {
          GATEWAY_CAPTIVE_SHARED_SECRET_FILE: secretFile,
          GATEWAY_CAPTIVE_SECRET_KEY: newSecret(),
          GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, `${port}.db`)}`,
          GATEWAY_CAPTIVE_BASE_URL: baseUrl,
          GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
          GATEWAY_CAPTIVE_LISTEN_PORT: String(port),
          GATEWAY_CAPTIVE_OPS_PORT: '0',
          GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
          GATEWAY_CAPTIVE_CA_PATH: engineCaFile,
          ENGINE_INTERNAL_URL: engine,
          ENGINE_API_TOKEN_FILE: apiToken.path,
          ...options.portalEnv,
        },
      })
    }

    async function startBehindProxy(): Promise<BehindProxy | undefined> {
      if (proxyPort === undefined || https === undefined) return undefined
      // Only here: it loads a package for certificates.
      const { startProxy } = await import('./proxy.ts')
      const onStop = (close: () => void) => closers.push(close)
      const engine = { published, icap, icapTokenFile }
      const sites = { portal: https, port: proxyPort, list, look }
      const trusted = await startProxy({ programs, onStop, folder, ...engine, ...sites })
      return { pacUrl: new URL(PAC_PATH, list).href, trusted }
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
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
