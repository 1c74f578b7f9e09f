// The process: command line, settings, what it opens in order, graceful shutdown.
import { type Logger, pino } from 'pino'
import packageJson from '#package' with { type: 'json' }
import { openWhenReachable } from '../database/open-when-reachable.ts'
import { createLog, endOnUnexpectedError } from '../observability/log.ts'
import { ConfigProblems } from '../settings/problems.ts'
import { type DatabaseLocation, transportNotice } from '../settings/sections/database.ts'
import { type CheckResult, joinResults, printCheck } from '../start/check-result.ts'
import { type Listener, listenFault } from '../start/listener.ts'
import { UnusableCa } from './certificates/ca.ts'
import type { CertificateUser } from './certificates/publish.ts'
import { followIssuer, waitForIssuer } from './certificates/reader.ts'
import { createPublish, startRepublishing } from './certificates/republish.ts'
import { rotateCa } from './certificates/rotate.ts'
import { createControlApi } from './control-api/control-api.ts'
import { startControlServer } from './control-api/server.ts'
import { createEngine } from './engine.ts'
import { type IcapServer, startIcapServer } from './icap/server.ts'
import type { Journal } from './journal/journal.ts'
import { emptyJournal, openJournal } from './journal/open-journal.ts'
import { createMonitoring } from './monitoring/monitoring.ts'
import { createRuleHits } from './monitoring/rule-hits.ts'
import type { OpsOptions } from './monitoring/start-ops.ts'
import { createStoppedRequests } from './monitoring/stopped-requests.ts'
import { createTally } from './monitoring/tally.ts'
import { createSaveCopy, policyCopyPath } from './policy/reload/policy-copy.ts'
import { openPolicyStore, type PolicyStore } from './policy/reload/policy-store.ts'
import { MACHINE_TIMEZONE, type ZoneClock, zoneClock } from './policy/schedule/zone-clock.ts'
import { type SettingsPublisher, startSettingsPublisher } from './proxy-settings/publish.ts'
import { createRuledHosts } from './proxy-settings/ruled-hosts.ts'
import { createNameUser } from './request/reported-user.ts'
import { type CommandLine, HELP, parseCommandLine } from './settings/command-line.ts'
import type { IcapSettings } from './settings/icap.ts'
import { chooseStart, createLoad, type Start } from './settings/start.ts'
import { ensureKeyFile, type StateKeys } from './state/key-file.ts'
import { openState } from './state/open-state.ts'
import { type EngineState, storageNotice } from './state/state.ts'

const EXIT_MISCONFIGURED = 2

const log = createLog()
endOnUnexpectedError(log)
/** What has been opened, in order; it is closed in reverse order. */
const closers: (() => unknown)[] = []
let isStopping = false
const opened: {
  policies?: PolicyStore
  settingsPublisher?: SettingsPublisher
  state?: EngineState
  journal?: Journal
} = {}
// Registered first: as process 1 of a container it would otherwise ignore these signals, and elsewhere SIGHUP would end it.
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// Before the policy is open there is nothing to reload: files that change while they are read are read again.
process.on('SIGHUP', () => void opened.policies?.reload())

const commandLine = readCommandLine()
const start = chooseStart(commandLine)
if (commandLine.check) await checkAndExit()
const chosen = await chosenOrExit()
const { portal, control, icap, certificates, presence, state: storage, ops, audit } = chosen.settings
if (commandLine.rotateCa !== undefined) await rotateAndExit(commandLine.rotateCa)

const tally = createTally()
const zone = zoneClock(commandLine.timezone ?? MACHINE_TIMEZONE) as ZoneClock
const monitoring = createMonitoring(tally, log, audit, createRuleHits(Date.now, zone))
await startOps({ opened, certificates, tally, clock: Date.now })

const policies = await openPolicies(log, chosen.reading).catch(exitWithoutPolicy)
opened.policies = policies
closers.push(() => policies.close())
const [portalHost = '', ...portalNames] = portal.names
const publishing = { ...certificates, portalHost, portalNames, controlNames: control.hostnames, clock: Date.now }
const isReader = certificates.role === 'reader'
const publishCertificates = createPublish(publishing, log)
// First: the state is in the folder that this creates, unless the settings name another place.
const certificate = isReader ? await waitForIssuer(publishing, log) : await publishCertificates()
await policies.saveCopies(createSaveCopy(policyCopyPath(certificates.folder, certificates.role, commandLine.config)))
const ruledHosts = createRuledHosts(policies, audit)
const settingsPublisher = startSettingsPublisher({ folder: certificates.folder, portal, policies, ruledHosts, log })
opened.settingsPublisher = settingsPublisher
closers.push(() => settingsPublisher.stop())
await settingsPublisher.publish()
const keys = await readKeys(storage.keyFile)
const state = await openStorage(storage.location, keys)
opened.state = state
closers.push(() => state.close())
const journal = startJournal()
const stopped = createStoppedRequests()
const { authExcept } = presence
const nameUser = createNameUser({ authExcept, presences: state, policies })
const engine = createEngine({
  ...{ portal, policies, state, keys, clock: Date.now },
  stopped: {
    add(one) {
      const record = stopped.add(one)
      journal?.add(record)
    },
  },
})
const server = await startControlServer({
  certificate,
  host: control.host,
  port: control.port,
  listener: createControlApi({
    engine,
    portal,
    monitoring,
    audit,
    policies,
    ruledHosts,
    state,
    stopped,
    journal,
    databases: { state: storage.location, journal: chosen.settings.journal.location },
    ...control,
    presenceToken: presence.token,
    authExcept,
    nameUser,
    clock: Date.now,
    log,
  }),
}).catch((error: unknown) => exitUnlessListening(error, control, 'control.listen'))
closers.push(() => server.stop())
log.info(`listening on ${server.address}`)
const icapServer = icap && (await openIcap(icap))
const tlsListeners: CertificateUser = {
  get certificate() {
    return server.certificate
  },
  useCertificate(issued) {
    server.useCertificate(issued)
    if (icap?.tls === 'control') icapServer?.useCertificate(issued)
  },
}
closers.push(
  isReader ? followIssuer(publishing, tlsListeners, log) : startRepublishing(publishCertificates, tlsListeners, log),
)

async function openIcap(icap: IcapSettings): Promise<IcapServer> {
  const tls = icap.tls === 'control' ? certificate : icap.tls
  const server = await startIcapServer({
    ...icap,
    tls,
    decide: monitoring.decideAs('icap', engine),
    nameUser,
    policies,
    log,
    isRuled: monitoring.isRuledBy(ruledHosts),
    instance: monitoring.instance,
  }).catch((error: unknown) => exitUnlessListening(error, icap, 'icap.listen'))
  closers.push(() => server.stop())
  log.info(`listening on ${server.address}`)
  return server
}

/** Its packages are loaded only when it is turned on. If it fails, the engine still decides. */
async function startOps(options: Omit<OpsOptions, 'listen'>): Promise<void> {
  if (ops === 'off') return
  const { startOps } = await import('./monitoring/start-ops.ts')
  try {
    const server = await startOps({ ...options, listen: ops })
    closers.push(() => server.close())
    log.info(`operations listener on ${server.address}`)
  } catch (error) {
    const fault = listenFault(error, ops)
    const what = `${fault ?? 'the operations listener cannot start'}; ops.listen: there are no metrics until the next start`
    log.error(fault === undefined ? { err: error } : {}, what)
  }
}

async function rotateAndExit(days: number): Promise<never> {
  if (certificates.role === 'reader') {
    process.stderr.write(
      'This engine reads its certificates (certificates.role): rotate the CA where they are issued\n',
    )
    process.exit(1)
  }
  try {
    process.stdout.write(await rotateCa(certificates, days, Date.now()))
    process.exit(0)
  } catch (error) {
    if (!(error instanceof UnusableCa)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

function openPolicies(log: Logger, reading: Start['inPlace']): Promise<PolicyStore> {
  return openPolicyStore({
    load: createLoad(commandLine, reading.settings),
    start: { ...start, reading },
    log,
    clock: Date.now,
    onReload({ result }) {
      tally.reloads[result]++
      void opened.settingsPublisher?.publish()
    },
  })
}

async function checkAndExit(): Promise<never> {
  const [policy, { checkStart }] = await Promise.all([checkPolicy(), import('./check.ts')])
  const others = await checkStart(start.inPlace.settings, Date.now())
  process.exit(printCheck(joinResults([policy, others]), `${commandLine.config}: no problems; ${policy.counts}`))
}

async function checkPolicy(): Promise<CheckResult & { readonly counts?: string }> {
  try {
    const { current, last, broken, close } = await openPolicies(pino({ enabled: false }), start.inPlace)
    await close()
    const { rules, lists, expectations } = current
    const names = lists.reduce((sum, { table }) => sum + table.size, 0)
    const counts = `rules: ${rules.length}, lists: ${lists.length}, names: ${names}`
    return {
      problems: [...last.problems, ...broken],
      warnings: last.warnings.filter((warning) => !broken.includes(warning)),
      counts: expectations.length === 0 ? counts : `${counts}, expectations: ${expectations.length}`,
    }
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    return { problems: error.problems, warnings: [] }
  }
}

/** @param setting what names the address */
function exitUnlessListening(error: unknown, where: Listener, setting: string): never {
  const fault = listenFault(error, where)
  if (fault === undefined) throw error
  log.fatal(`${fault}; ${setting}`)
  process.exit(1)
}

function readCommandLine(): CommandLine {
  try {
    const commandLine = parseCommandLine(process.argv.slice(2), process.env)
    if (typeof commandLine !== 'string') return commandLine
    process.stdout.write(commandLine === 'help' ? HELP : `${packageJson.version}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

async function readKeys(path: string): Promise<StateKeys> {
  return await ensureKeyFile(path).catch(exitMisconfigured)
}

/** Waits for half a minute for a database that is started at the same time. */
async function openStorage(location: DatabaseLocation, keys: StateKeys): Promise<EngineState> {
  const transport = transportNotice(location)
  if (transport !== undefined) log.warn(transport)
  const open = () => openState({ location, keys, clock: Date.now, log, journal: chosen.settings.journal })
  const state = await openWhenReachable(open, log).catch((error: unknown) => {
    log.fatal({ err: error }, "the state's database is not usable; stopping")
    process.exit(1)
  })
  const { durability } = state
  log.info({ durability }, 'state open')
  const notice = storageNotice(durability)
  if (notice !== undefined) log.warn(notice)
  return state
}

/** Undefined where it is turned off. Decisions do not wait for it, and neither does the start. */
function startJournal(): Journal | undefined {
  const { location, ...settings } = chosen.settings.journal
  const stateLocation = storage.location
  if (settings.days === 0) {
    const notice = 'what an earlier journal has left cannot be deleted; the next start tries it again'
    emptyJournal({ location, state, stateLocation }).catch((error: unknown) => log.warn({ err: error }, notice))
    return undefined
  }
  const { clock } = publishing
  const journal = openJournal({ location, settings, state, stateLocation, policies, tally, zone, clock, log })
  opened.journal = journal
  closers.push(() => journal.close())
  return journal
}

async function chosenOrExit(): Promise<NonNullable<Start['chosen']>> {
  const { chosen, problems } = start
  // An operator is there to correct the file.
  if (commandLine.rotateCa !== undefined && problems.length > 0) exitMisconfigured(new ConfigProblems(problems))
  if (chosen !== undefined) return chosen
  // This also reports the problems of the lists.
  const { problems: all } = await checkPolicy()
  return exitWithoutPolicy(new ConfigProblems([...all, ...start.copyProblems]))
}

/** Without an engine that runs, losses cannot be accepted by a call. */
function exitWithoutPolicy(error: unknown): never {
  if (!(error instanceof ConfigProblems)) throw error
  const { problems, inPlace, copyPath } = start
  process.stderr.write(`${new ConfigProblems([...new Set([...problems, ...error.problems])]).message}\n`)
  if (problems.length > 0 && inPlace.settings.problems.length === 0 && copyPath !== undefined) {
    process.stderr.write(`To start with ${commandLine.config} all the same, remove ${copyPath}\n`)
  }
  process.exit(EXIT_MISCONFIGURED)
}

function exitMisconfigured(error: unknown): never {
  if (!(error instanceof ConfigProblems)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(EXIT_MISCONFIGURED)
}

/** A second signal exits without waiting. */
async function stop(signal: NodeJS.Signals): Promise<void> {
  if (isStopping) process.exit(1)
  isStopping = true
  log.info({ signal }, 'stopping')
  for (const close of closers.toReversed()) await close()
  log.info('stopped')
  process.exit(0)
}
