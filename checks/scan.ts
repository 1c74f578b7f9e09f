// `npm run check -- scan`: wapiti scans the demo, over plain http and behind its terminator, with URLs of valid
// verdicts. Only informational findings, and those accepted here with a reason, are allowed.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startDemo } from '../demo/start.ts'
import { EXIT_CANNOT_RUN } from './check.ts'

interface Finding {
  readonly method: string
  readonly path: string
  readonly info: string
  /** 0 is informational, 4 critical. */
  readonly level: number
}

type Findings = Readonly<Record<string, readonly Finding[]>>

/** Debian's wapiti is on the PATH; the variable WAPITI names a newer one. */
const WAPITI = process.env.WAPITI ?? 'wapiti'
/** Modules that use no third-party service and no list of path names: unknown paths lead nowhere on the portal. */
const MODULES =
  'cookieflags,crlf,csp,csrf,exec,file,htaccess,http_headers,methods,permanentxss,redirect,shellshock,sql,xss'
/** Further modules, which Debian's version lacks or implements differently. */
const NEWER_MODULES =
  'https_redirect,inconsistent_redirection,information_disclosure,ldap,stacktrace_disclosure,unsecure_password,upload,xxe'
/** Sites of the sample policy: blocked; a warning; a policy; a PIN; a passphrase. */
const SITES = ['casino', 'news', 'social', 'lab', 'archive']
const CRAWL_SECONDS = '60'
const MODULE_SECONDS = '60'

interface Accepted {
  readonly info: RegExp
  readonly over?: 'http:'
  readonly why: string
}

const ACCEPTED: readonly Accepted[] = [
  {
    info: /^Strict-Transport-Security is not set$/,
    why: 'after a change of the CA it would lock out visitors who need the certificate page',
  },
  {
    info: /^X-XSS-Protection is not set$/,
    why: 'browsers have dropped it; where it worked, it could be abused against a page',
  },
  {
    info: /^Response contains potential system path: \/(Library\/Keychains|usr\/local\/share\/ca-certificates|etc\/pki)\//,
    why: "the certificate page shows where a certificate is installed on the visitor's device",
  },
  {
    over: 'http:',
    info: /^No HTTPS redirection|was sent over an unencrypted HTTP connection|^Secure flag is not set/i,
    why: 'with an https base URL the portal redirects all but the certificate page to https, and its cookie is Secure',
  },
]

const HELP = `Usage: npm run check -- scan

Scans the demo with wapiti for some minutes, over plain http and behind its
terminator, with URLs of valid verdicts. Exits with status 1 when a finding is
more than informational and not accepted for a stated reason.

  WAPITI   the wapiti program; by default the one on PATH

Example:
  npm run check -- scan
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

const { stdout } = await promisify(execFile)(WAPITI, ['--version']).catch((error: Error) => {
  process.stderr.write(`apt-get install wapiti, or set WAPITI to another one: ${error.message}\n`)
  process.exit(EXIT_CANNOT_RUN)
})
const [version = ''] = /\d+\.\d+\.\d+\s*$/.exec(stdout) ?? []
const isOld = version.startsWith('3.0.')
process.stdout.write(`wapiti ${version.trim()}\n`)

const demo = await startDemo({
  policyFile: fileURLToPath(new URL('../src/engine/sample-policy.toml', import.meta.url)),
  ports: [0],
  https: true,
  // A scan takes longer than a verdict's default lifetime.
  portalEnv: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '86400' },
})
const folder = await mkdtemp(join(tmpdir(), 'wapiti-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => clear().then(() => process.exit(1)))
try {
  if (demo.https === undefined) throw new Error('the demo has no terminator')
  const verdicts = await Promise.all(SITES.map(verdictTarget))
  const targets = ['/', '/privacy', ...verdicts]
  await scan('the list of sites that `npm start` prints', `http://localhost:${demo.port}`, ['/'])
  await scan('the portal over plain http', demo.portalUrl, targets)
  await scan('the portal behind the terminator', demo.https.url, targets)
  await scan("the terminator's plain http", demo.https.plainUrl, ['/ca'])
} finally {
  await clear()
}

async function scan(what: string, origin: string, targets: readonly string[]): Promise<void> {
  const file = join(folder, 'findings.json')
  const addresses = targets.flatMap((target, index) => [index === 0 ? '--url' : '--start', origin + target])
  const modules = ['--module', isOld ? MODULES : `${MODULES},${NEWER_MODULES}`]
  const limits = ['--max-scan-time', CRAWL_SECONDS, '--max-attack-time', MODULE_SECONDS, '--timeout', '10']
  const storage = ['--store-session', folder, '--store-config', folder, '--flush-session', '--no-bugreport']
  const output = ['--format', 'json', '--output', file, '--verbose', '1']
  const args = [...addresses, ...modules, ...limits, ...storage, ...output]
  const child = spawn(WAPITI, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const crawled = new Set<string>()
  for await (const line of createInterface(child.stdout)) {
    const [, target] = /^\[\+\] GET https?:\/\/[^/]+(\/\S*) \(/.exec(line) ?? []
    if (target !== undefined) crawled.add(target)
  }
  const report: Record<'vulnerabilities' | 'anomalies', Findings> = JSON.parse(await readFile(file, 'utf8'))
  const found = [...Object.entries(report.vulnerabilities), ...Object.entries(report.anomalies)].flatMap(
    ([kind, findings]) => findings.map((finding) => ({ kind, ...finding })),
  )
  const { protocol } = new URL(origin)
  const acceptance = (info: string) =>
    ACCEPTED.find(({ info: pattern, over }) => pattern.test(info) && (over === undefined || over === protocol))
  const worse = found.filter(({ info, level }) => level > 0 && acceptance(info) === undefined)
  process.stdout.write(`\n${what}\n`)
  for (const { kind, method, path, info, level } of found) {
    const note = acceptance(info)?.why
    const [text, at] = [info, path].map((one) => one.replaceAll(/\?\S+?(?=\.? |'|$)/g, ''))
    process.stdout.write(`  level ${level}, ${kind}: ${text} (${method} ${at})${note ? `; accepted: ${note}` : ''}\n`)
  }
  process.stdout.write(`  ${crawled.size} URLs, ${found.length} findings, ${worse.length} not accepted\n`)
  // A scan that has not reached its targets proves nothing.
  if (worse.length > 0 || !targets.every((target) => crawled.has(target))) process.exitCode = 1
}

async function clear(): Promise<void> {
  await demo.stop()
  await rm(folder, { recursive: true, force: true })
}

/** @returns the portal's path to which the gateway redirects a request for the site */
async function verdictTarget(site: string): Promise<string> {
  const host = `${site}.localhost:${demo.port}`
  const outgoing = request({ host: '127.0.0.1', port: demo.port, headers: { host } }).end()
  const [response] = await once(outgoing, 'response')
  response.resume()
  const { pathname, search } = new URL(response.headers.location ?? '')
  return pathname + search
}
