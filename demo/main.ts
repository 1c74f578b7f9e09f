// `npm start`: everything needed to try the portal, on loopback, with a temporary ledger.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromiumArguments, isInUse } from './browser.ts'
import { findChromium, hasNginx, missingPackages } from './installed.ts'
import { type Demo, startDemo } from './start.ts'

const HELP = `Usage: npm start -- [--browse] [--port PORT] [--logs] [--no-proxy] [--no-https]

Starts the engine, the portal and sample sites on loopback, and prints how to
open them. With Squid and nginx installed, the sites are https sites behind a
proxy that decrypts, and the command that is printed opens a temporary Chromium
that uses it. With nginx alone, a small gateway serves the sites over http, and
a second portal is behind the terminator. Without nginx, there is no https.
All data is deleted when it stops (Ctrl-C).

  --browse     open the browser, too
  --port PORT  port of the list of sample sites (default: 8080, or any free
               port)
  --logs       print the logs of all programs
  --no-proxy   do not start Squid
  --no-https   do not start nginx and Squid
  --help       print this text

Examples:
  npm start
  npm start -- --browse
  npm start -- --port 9000 --logs
`

const { port, logs, browse, https, proxy, missing } = readOptions()
const chromium = findChromium() ?? 'chromium'
let ending = false
let profile: string | undefined
let browser: ChildProcess | undefined
const demo = startDemo({
  portalEnv: {
    GATEWAY_ORG_NAME: 'Kantonsschule Musterhausen',
    GATEWAY_CAPTIVE_BRAND_LOGO: fileURLToPath(new URL('logo.svg', import.meta.url)),
    GATEWAY_CAPTIVE_SUPPORT_URL: 'mailto:helpdesk@musterhausen.example',
    GATEWAY_CAPTIVE_SUPPORT_TEXT: '+41 44 123 45 67',
  },
  policyFile: fileURLToPath(new URL('../src/engine/sample-policy.toml', import.meta.url)),
  ports: port === undefined ? [8080, 0] : [port],
  https,
  proxy,
  onLog: (program, line) => {
    if (logs) process.stdout.write(`${program}: ${line}\n`)
  },
  onFailure: (program, lastLines) => {
    // A terminal's Ctrl-C also stops the programs.
    if (ending) return
    process.stderr.write(`The ${program} exited unexpectedly. Its last lines:\n${lastLines.join('\n')}\n`)
    void stop(1)
  },
})
process.on('SIGINT', () => stop(0))
process.on('SIGTERM', () => stop(0))
demo.then(
  (running) => {
    if (ending) return
    process.stdout.write(describe(running))
    if (browse) browser = openBrowser(running)
  },
  (error: Error) => {
    if (ending) return
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  },
)

function describe(demo: Demo): string {
  const list = `http://localhost:${demo.port}/`
  const first = demo.behindProxy
    ? `${browse ? 'The browser that opens is this one' : 'Choose a site in a temporary Chromium behind the proxy (npm start -- --browse opens it)'}:\n
${[chromium, ...browserArguments(demo)].map(quote).join(' ')}\n
Ctrl-C stops everything.\n`
    : `Open ${list} and choose a site. Ctrl-C stops everything.\n`
  return `${first}${describeHttps(demo)}${describeMissing()}`
}

function describeHttps({ https }: Demo): string {
  if (https === undefined) return ''
  return `
The certificate page, over plain http as on port 80: ${https.plainUrl}/ca
Its portal is at ${https.url}/ with a certificate of the demo's own CA, which your browser does not trust.
Trust it only in a temporary browser profile, or use curl:
  curl --cacert ${https.caFile} ${https.url}/healthz
`
}

function describeMissing(): string {
  if (missing.length === 0) return ''
  if (proxy) return `\nChromium is missing, on Debian: apt-get install ${missing.join(' ')}\n`
  const what = missing.includes('nginx') ? 'https, the certificate page and ' : ''
  return `
The demo also has ${what}sites behind a proxy that decrypts, once you have installed what is missing, on Debian:
  apt-get install ${missing.join(' ')}
`
}

function browserArguments(demo: Demo): readonly string[] {
  if (demo.behindProxy === undefined) throw new Error('the demo has no proxy')
  profile ??= mkdtempSync(join(tmpdir(), 'captive-portal-browser-'))
  return chromiumArguments(demo.behindProxy, profile, `http://localhost:${demo.port}/`)
}

/** Quotes an argument for a shell. */
function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}

function openBrowser(demo: Demo): ChildProcess {
  const child = spawn(chromium, browserArguments(demo), { stdio: ['ignore', 'ignore', 'pipe'] })
  let lastLines = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastLines = (lastLines + text).slice(-2000)
  })
  child.on('error', (error) => process.stderr.write(`${error.message}\n`))
  child.on('close', (status) => {
    if (!ending && status !== 0) process.stderr.write(`The browser exited with status ${status}:\n${lastLines}\n`)
  })
  return child
}

async function stop(status: number): Promise<void> {
  if (ending) return
  ending = true
  if (browser !== undefined && browser.exitCode === null && browser.signalCode === null) {
    browser.kill()
    await once(browser, 'exit')
  }
  const running = await demo.catch(() => undefined)
  await running?.stop()
  if (profile !== undefined) deleteProfile(profile)
  process.exit(status)
}

/** A browser that the visitor opened with the printed command may still be open. */
function deleteProfile(folder: string): void {
  if (browser === undefined && isInUse(folder))
    process.stderr.write(`The browser is still open: close it, then delete ${folder}\n`)
  else rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        browse: { type: 'boolean' },
        port: { type: 'string' },
        logs: { type: 'boolean' },
        'no-proxy': { type: 'boolean' },
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
    const { browse = false, logs = false } = values
    const https = !values['no-https'] && hasNginx()
    const missing = missingPackages()
    const proxy = https && !values['no-proxy'] && !missing.includes('squid-openssl')
    if (browse && (missing.length > 0 || !proxy)) {
      const why = missing.length > 0 ? missing.join(', ') : 'neither --no-proxy nor --no-https'
      throw new TypeError(`--browse needs ${why}`)
    }
    return { port, logs, browse, https, proxy, missing }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`)
    process.exit(2)
  }
}
