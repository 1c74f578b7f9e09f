// The process: configuration, ledger, app, listener, and a stop that loses nothing.
import { loadPortalConfig, type PortalConfig } from '../aup/policy-texts.ts'
import { type CurrentCa, type Found, publishedCertificates, watch } from '../certificate/watch.ts'
import { type Config, ConfigProblems } from '../config/config.ts'
import { summarise } from '../config/summary.ts'
import { openLedger } from '../ledger/ledger.ts'
import { createApp } from './app.ts'
import type { StartEvent } from './audit-events.ts'
import { createEngineClient } from './engine-client/ask-engine.ts'
import { createLog } from './log.ts'
import { createTally } from './ops/tally.ts'
import { policyDocuments } from './policy-document.ts'

const EXIT_MISCONFIGURED = 2
// Beyond the engine's deadline nothing that is in flight is worth waiting for.
const DRAIN_EXTRA_SECONDS = 10

const log = createLog()

process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'unexpected error; stopping')
  process.exit(1)
})

const { config, policyTexts } = await readConfig()
const start: StartEvent = { event: 'start', configuration: summarise(config) }
log.info(start, 'starting')
const ledger = await openLedger(config.database, { clock: Date.now, migrate: true }).catch((error: unknown) => {
  log.fatal({ err: error }, 'the database is not usable; stopping')
  process.exit(1)
})
log.info({ durability: ledger.durability }, 'ledger open')
if (ledger.durability.memoryBacked) log.warn('the ledger is memory-backed: acceptances are lost on restart')
if (ledger.durability.settings.fsync === 'off') log.warn('fsync is off: acceptances are lost when the database crashes')
const publishedCa = await watchCa(config)
const documents = policyDocuments(policyTexts)
for (const locale of config.locales.supported) await ledger.keepDocument(documents[locale])

const tally = createTally()
const tracing = await startTracing(config)
const app = createApp({
  config,
  ledger,
  documents,
  askEngine: engineClient(config),
  publishedCa,
  clock: Date.now,
  log,
  tally,
  traceRequest: tracing?.traceRequest,
})
const ops = await startOps(config)
const address = await app.listen(config.listen)
log.info({ host: config.listen.host }, `listening on ${address}`)
process.once('SIGTERM', stop)
process.once('SIGINT', stop)

async function readConfig(): Promise<PortalConfig> {
  try {
    const loaded = await loadPortalConfig(process.env)
    for (const warning of loaded.warnings) log.warn(warning)
    return loaded
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

function engineClient({ engine, certificate, release }: Config) {
  if (engine.url === undefined) return undefined
  return createEngineClient({
    ...engine,
    url: engine.url,
    publishedCa: certificate.inspection ? certificate.path : undefined,
    userAgent: `captive-portal/${release.version}`,
    clock: Date.now,
  })
}

/** The packages for it are not even loaded without a collector. */
async function startTracing(config: Config) {
  const { url } = config.tracing
  return url && (await import('./ops/tracing.ts')).startTracing(url, config, log)
}

async function startOps(config: Config) {
  if (config.ops.port === 0) return undefined
  const { startOps } = await import('./ops/start-ops.ts')
  return await startOps({ config, ledger, publishedCa, tally, clock: Date.now }).catch((error: unknown) => {
    log.fatal({ err: error }, 'the operations listener cannot listen; stopping')
    process.exit(1)
  })
}

async function watchCa({ certificate }: Config): Promise<CurrentCa> {
  if (!certificate.inspection) return () => undefined
  const certificates = publishedCertificates({ path: certificate.path, clock: Date.now, onChange: logFound })
  await watch(certificates)
  if (certificates.current() === undefined) {
    log.warn({ path: certificate.path }, 'no certificate is published yet: there is no certificate page')
  }
  return certificates.current
}

function logFound(path: string, found: Found): void {
  if (found === 'missing') log.info({ path }, 'the published certificate is gone')
  else if ('unusable' in found) log.warn({ path, reason: found.unusable }, 'the published certificate cannot be used')
  else log.info({ path, sha256: found.sha256, until: new Date(found.notAfter) }, 'a certificate is published')
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  log.info({ signal }, 'stopping')
  const patience = setTimeout(
    () => app.server.closeAllConnections(),
    (config.engine.timeoutSeconds + DRAIN_EXTRA_SECONDS) * 1000,
  )
  await app.close()
  clearTimeout(patience)
  await ledger.close()
  await ops?.close()
  await tracing?.close()
  log.info('stopped')
  process.exit(0)
}
