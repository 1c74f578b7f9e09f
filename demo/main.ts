// `npm start`: everything needed to try the portal, on loopback, with a temporary ledger.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Demo, hasNginx, startDemo } from './start.ts'

const HELP = `Usage: npm start -- [--port PORT] [--logs] [--no-https]

Starts the reference engine, the portal and a small gateway on loopback, and
prints the address to open. If nginx is installed, a second portal behind the
terminator serves http and https with a certificate of the demo's own CA.
All data is deleted when it stops (Ctrl-C).

  --port PORT  port of the list of sample sites (default: 8080, or any free
               port)
  --logs       print the logs of all programs
  --no-https   do not start nginx
  --help       print this text

Examples:
  npm start
  npm start -- --port 9000 --logs
`

const { port, logs, https } = readOptions()
let ending = false
const demo = startDemo({
  policyFile: fileURLToPath(new URL('../src/engine/sample-policy.toml', import.meta.url)),
  ports: port === undefined ? [8080, 0] : [port],
  https,
  onLog: (program, line) => {
    if (logs) process.stdout.write(`${program}: ${line}\n`)
  },
  onFailure: (program, lastLines) => {
    // A terminal's Ctrl-C ends the programs too.
    if (ending) return
    process.stderr.write(`The ${program} ended unexpectedly. Its last lines:\n${lastLines.join('\n')}\n`)
    void stop(1)
  },
})
process.on('SIGINT', () => stop(0))
process.on('SIGTERM', () => stop(0))
demo.then(
  (running) => process.stdout.write(describe(running)),
  (error: Error) => {
    if (ending) return
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  },
)

function describe({ port, https }: Demo): string {
  const first = `Open http://localhost:${port}/ and choose a site. Ctrl-C stops everything.\n`
  if (https === undefined) return `${first}With nginx installed, the demo also has https and the certificate page.\n`
  return `${first}
The certificate page, over plain http as on port 80: ${https.plainUrl}/ca
Its portal is at ${https.url}/ with a certificate of the demo's own CA, which your browser does not trust.
Trust it only in a temporary browser profile, or use curl:
  curl --cacert ${https.caFile} ${https.url}/healthz
`
}

async function stop(status: number): Promise<void> {
  ending = true
  const running = await demo.catch(() => undefined)
  await running?.stop()
  process.exit(status)
}

function readOptions(): { port: number | undefined; logs: boolean; https: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        logs: { type: 'boolean' },
        'no-https': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    if (values.help) {
      process.stdout.write(HELP)
      process.exit(0)
    }
    const port = values.port === undefined ? undefined : Number(values.port)
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
      throw new TypeError('--port must be a whole number from 0 to 65535')
    }
    return { port, logs: values.logs ?? false, https: !values['no-https'] && hasNginx() }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`)
    process.exit(2)
  }
}
