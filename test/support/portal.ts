// A portal in this process, on a free port, with a real ledger, and a clock and a log for the test.
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type PublishedCertificates, publishedCertificates } from '../../src/certificate/watch.ts'
import type { EngineRecords } from '../../src/contract/engine-health.ts'
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts'
import { createApp, type Portal } from '../../src/portal/app.ts'
import { type Capacity, capacityOf } from '../../src/portal/capacity.ts'
import { createSendAcknowledgement } from '../../src/portal/engine-client/acknowledge.ts'
import { createTally, type Tally } from '../../src/portal/monitoring/tally.ts'
import { loadCatalogues } from '../../src/portal/page/i18n/catalogue.ts'
import type { Config } from '../../src/portal/settings/config.ts'
import { loadPortalConfig } from '../../src/portal/settings/load.ts'
import { type PolicyDocuments, policyDocuments } from '../../src/portal/verdict/policy-document.ts'
import type { Locale } from '../../src/settings/sections/locales.ts'
import type { Cleanup } from './cleanup.ts'
import { SECRET, SESSION_KEY } from './payloads.ts'

/** Unix seconds at which a test's clock starts. */
export const NOW = 1_800_000_000

export interface RunningPortal {
  readonly address: string
  readonly port: number
  readonly config: Config
  readonly ledger: Ledger
  /** The certificate at GATEWAY_CAPTIVE_CA_PATH; the test calls `refresh`. */
  readonly certificates: PublishedCertificates
  /** The portal's counters. */
  readonly tally: Tally
  /** The test's clock, in milliseconds since 1970. */
  clock(): number
  /** The SQLite file of the ledger. */
  readonly databasePath: string
  /** The log's lines so far, parsed. */
  logged(): Record<string, unknown>[]
  /** The log as written. */
  logText(): string
  /** Moves the clock; Unix seconds. */
  setTime(seconds: number): void
  /** Sends a request with exactly this target and these headers. */
  get(target: string, headers?: Record<string, string>, method?: string): Promise<Response>
  /** The current load. */
  load(): ReturnType<Portal['load']>
  /** The number of open connections. */
  connections(): number
  close(): Promise<void>
}

export interface PortalOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly ledger?: (ledger: Ledger) => Ledger
  /** Milliseconds that a statement may take. */
  readonly ledgerLimit?: number
  /** Documents that the app shows instead of the policies, which the ledger keeps. */
  readonly documents?: (documents: PolicyDocuments) => PolicyDocuments
  readonly capacity?: Partial<Capacity>
  readonly engineRecords?: () => EngineRecords
}

/** A policy page that fails to render in one language, as an unexpected error. */
export function brokenDocument(locale: Locale, message: string): NonNullable<PortalOptions['documents']> {
  return (documents) => ({
    ...documents,
    [locale]: {
      ...documents[locale],
      get markup(): never {
        throw new Error(message)
      },
    },
  })
}

export async function startPortal(t: Cleanup | undefined, options: PortalOptions = {}): Promise<RunningPortal> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-test-'))
  const databasePath = join(folder, 'portal.db')
  const { config, policyTexts, privacyTexts } = await loadPortalConfig({
    GATEWAY_CAPTIVE_SECRET_KEY: SESSION_KEY,
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${databasePath}`,
    GATEWAY_CAPTIVE_LISTEN_HOST: '127.0.0.1',
    GATEWAY_CAPTIVE_LISTEN_PORT: '0',
    GATEWAY_CAPTIVE_CA_PATH: join(folder, 'no-ca.crt'),
    ENGINE_INTERNAL_URL: '',
    ...options.env,
  })
  let now = NOW * 1000
  let text = ''
  const clock = () => now
  const opened = await openLedger(config.database, { clock, migrate: true, limit: options.ledgerLimit })
  const ledger = options.ledger?.(opened) ?? opened
  const catalogues = await loadCatalogues(config.locales.supported)
  const documents = policyDocuments(catalogues, policyTexts)
  for (const locale of config.locales.supported) await ledger.keepDocument(documents[locale])
  const certificates = publishedCertificates({ path: config.certificate.path, clock })
  await certificates.refresh()
  const tally = createTally()
  const app = createApp({
    config,
    ledger,
    catalogues,
    documents: options.documents?.(documents) ?? documents,
    privacyTexts,
    engineRecords: options.engineRecords,
    sendAcknowledgement:
      config.engine.url &&
      createSendAcknowledgement({
        ...config.engine,
        url: config.engine.url,
        publishedCa: config.certificate.path,
        userAgent: `captive-portal/${config.release.version}`,
        clock: () => performance.now(),
      }),
    publishedCa: config.certificate.inspection ? certificates.current : () => undefined,
    clock,
    tally,
    capacity: { ...capacityOf(4096), ...options.capacity },
    log: pino(
      { base: null, timestamp: false },
      {
        write: (line: string) => {
          text += line
        },
      },
    ),
  })
  let connections = 0
  app.server.on('connection', (socket) => {
    connections++
    socket.once('close', () => connections--)
  })
  await app.listen(config.listen)
  const { port } = app.server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  const running: RunningPortal = {
    address,
    port,
    config,
    ledger,
    certificates,
    tally,
    clock,
    databasePath,
    logText: () => text,
    logged: () => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    setTime(seconds) {
      now = seconds * 1000
    },
    get: (target, headers = {}, method = 'GET') =>
      fetch(address + target, { method, headers: { connection: 'close', ...headers }, redirect: 'manual' }),
    load: () => app.load(),
    connections: () => connections,
    async close() {
      await app.close()
      await opened.close()
      await rm(folder, { recursive: true })
    },
  }
  t?.after(running.close)
  return running
}
