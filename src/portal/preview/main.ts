// `npm run preview`: shows every page with your configuration, without engine, database or secrets.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { ConfigProblems } from '../../settings/problems.ts'
import { loadPortalConfig, type PortalConfig } from '../settings/load.ts'
import { createPreviewApp } from './preview-app.ts'

const HELP = `Usage: npm run preview -- [--port PORT]

Serves every page of the portal in every state, with sample data, on loopback.
It reads the portal's variables (brand, palette, languages, operator), and needs
neither engine nor database nor secrets.

  --port PORT  port to listen on (default: any free port)
  --help       print this text

Examples:
  npm run preview
  GATEWAY_ORG_NAME='Northwind Institute' GATEWAY_CAPTIVE_BRAND_PALETTE=amber \\
      npm run preview -- --port 9000
`

const DAY_SECONDS = 86_400

const port = readPort() ?? (await freePort())
const { config, policyTexts, privacyTexts } = await readConfig(port)
const log = pino({ level: 'silent' })
const app = await createPreviewApp({ config, policyTexts, privacyTexts, clock: Date.now, log, isMarked: true })
await app.listen({ host: '127.0.0.1', port })
process.stdout.write(`Open ${config.publicAddress.baseUrl}/ to see every page. Ctrl-C stops it.\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await app.close()
    process.exit(0)
  })
}

/** The operator's configuration, without secrets, engine and database. */
async function readConfig(port: number): Promise<PortalConfig> {
  const own = Object.entries(process.env).filter(([name]) => !/_SECRET|SECRET_KEY|_DATABASE_|^ENGINE_/.test(name))
  try {
    return await loadPortalConfig({
      ...Object.fromEntries(own),
      GATEWAY_CAPTIVE_SHARED_SECRET: crypto.randomUUID(),
      GATEWAY_CAPTIVE_SECRET_KEY: crypto.randomUUID(),
      GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
      GATEWAY_CAPTIVE_BASE_URL: `http://localhost:${port}`,
      ENGINE_SIGNATURE_MAX_AGE_SECONDS: String(DAY_SECONDS),
    })
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

function readPort(): number | undefined {
  try {
    const { values } = parseArgs({ options: { port: { type: 'string' }, help: { type: 'boolean' } } })
    if (values.help) {
      process.stdout.write(HELP)
      process.exit(0)
    }
    const port = values.port === undefined ? undefined : Number(values.port)
    if (port === undefined || (Number.isInteger(port) && port > 0 && port <= 65_535)) return port
    throw new TypeError('--port must be a whole number from 1 to 65535')
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`)
    process.exit(2)
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
