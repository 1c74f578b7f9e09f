// The process: command line, configuration, certificates, listener, and a stop that answers what is in flight.
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { publishCertificates } from './certificates/publish.ts'
import { type CommandLine, HELP, parseCommandLine } from './command-line.ts'
import { type Configuration, ConfigurationProblems, loadConfiguration } from './configuration.ts'
import { createControlApi } from './control-api.ts'
import { startControlServer } from './control-server.ts'
import { createEngine } from './engine.ts'

const EXIT_MISCONFIGURED = 2
const SWEEP_MS = 30_000

const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime })

process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'unexpected error; stopping')
  process.exit(1)
})

const { policy, control, certificates } = readConfiguration(readCommandLine())
const engine = createEngine({ policy, clock: Date.now })
const server = await startControlServer({
  certificate: await publishCertificates({
    ...certificates,
    portalHost: new URL(policy.baseUrl).hostname,
    controlNames: control.hostnames,
    clock: Date.now,
  }),
  host: control.host,
  port: control.port,
  listener: createControlApi({ engine, apiToken: control.apiToken, log }),
})
const sweeping = setInterval(() => engine.sweep(), SWEEP_MS)
log.info(`listening on ${server.address}`)
process.once('SIGTERM', stop)
process.once('SIGINT', stop)

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

function readConfiguration(commandLine: CommandLine): Configuration {
  try {
    return loadConfiguration(commandLine, (path) => readFileSync(path, 'utf8'))
  } catch (error) {
    if (!(error instanceof ConfigurationProblems)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  log.info({ signal }, 'stopping')
  clearInterval(sweeping)
  await server.stop()
  log.info('stopped')
}
