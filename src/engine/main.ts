// The process: command line, settings, certificates, listener, graceful shutdown.
import { pino } from 'pino'
import { ConfigProblems } from '../config/problems.ts'
import { UnusableCa } from './certificates/ca.ts'
import { publishCertificates } from './certificates/publish.ts'
import { startRepublishing } from './certificates/republish.ts'
import { rotateCa } from './certificates/rotate.ts'
import { createControlApi } from './control-api/control-api.ts'
import { startControlServer } from './control-api/server.ts'
import { createEngine } from './engine.ts'
import { type CommandLine, HELP, parseCommandLine } from './settings/command-line.ts'
import { loadSettings, type Settings } from './settings/settings.ts'

const EXIT_MISCONFIGURED = 2
const SWEEP_MS = 30_000

const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime })

process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'unexpected error; stopping')
  process.exit(1)
})

const commandLine = readCommandLine()
const { policy, control, certificates, warnings } = readSettings(commandLine)
if (commandLine.rotateCa !== undefined) await rotateAndExit(commandLine.rotateCa)

for (const warning of warnings) log.warn(warning)
const [portalHost = '', ...portalNames] = policy.portalNames
const publishing = { ...certificates, portalHost, portalNames, controlNames: control.hostnames, clock: Date.now }
const engine = createEngine({ policy, clock: Date.now })
const server = await startControlServer({
  certificate: await publishCertificates(publishing),
  host: control.host,
  port: control.port,
  listener: createControlApi({ engine, apiToken: control.apiToken, log }),
})
const sweeping = setInterval(() => engine.sweep(), SWEEP_MS)
const stopRepublishing = startRepublishing(publishing, server, log)
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
log.info(`listening on ${server.address}`)

async function rotateAndExit(days: number): Promise<never> {
  try {
    process.stdout.write(await rotateCa(certificates, days, Date.now()))
    process.exit(0)
  } catch (error) {
    if (!(error instanceof UnusableCa)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

function readCommandLine(): CommandLine {
  try {
    const commandLine = parseCommandLine(process.argv.slice(2))
    if (commandLine !== 'help') return commandLine
    process.stdout.write(HELP)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

function readSettings(commandLine: CommandLine): Settings {
  try {
    return loadSettings(commandLine)
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  log.info({ signal }, 'stopping')
  clearInterval(sweeping)
  stopRepublishing()
  await server.stop()
  log.info('stopped')
}
