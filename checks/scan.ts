// `npm run check -- scan`: wapiti against the demo, over plain http and behind its terminator, with addresses of valid verdicts.
// Nothing that it finds may be more than informational, but for what is accepted here with a reason.
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

/** Debian's is found on the path; a newer one is named by `WAPITI`. */
const WAPITI = process.env.WAPITI ?? 'wapiti'
/** Those that need no service of somebody else, and try no list of names: a path that is not the portal's goes nowhere. */
const MODULES =
  'cookieflags,crlf,csp,csrf,exec,file,htaccess,http_headers,methods,permanentxss,redirect,shellshock,sql,xss'
/** The same, of those that Debian's does not have, or not in this way. */
const NEWER_MODULES =
  'https_redirect,inconsistent_redirection,information_disclosure,ldap,stacktrace_disclosure,unsecure_password,upload,xxe'
/** Sites of the sample policy: blocked; a warning; a policy; a PIN; a passphrase. */
const SITES = ['casino', 'news', 'social', 'lab', 'archive']
const CRAWL_SECONDS = '60'
const MODULE_SECONDS = '60'

interface Accepted {
  readonly says: RegExp
  readonly over?: 'http:'
  readonly why: string
}

const ACCEPTED: readonly Accepted[] = [
  {
    says: /^Strict-Transport-Security is not set$/,
    why: 'after a change of the CA it would lock out who needs the certificate page',
  },
  {
    says: /^X-XSS-Protection is not set$/,
    why: 'browsers have given it up; where it worked, it could be turned against a page',
  },
  {
    says: /^Response contains potential system path: \/(Library\/Keychains|usr\/local\/share\/ca-certificates|etc\/pki)\//,
    why: "the certificate page shows where on the visitor's own device a certificate goes",
  },
  {
    over: 'http:',
    says: /^No HTTPS redirection|was sent over an unencrypted HTTP connection|^Secure flag is not set/i,
    why: 'it is http: a portal with an https base URL sends all but the certificate page on, and its cookie is Secure',
  },
]

const HELP = `Usage: npm run check -- scan

wapiti against the demo, over plain http and behind its terminator, with
addresses of valid verdicts, for some minutes. Ends with status 1 when a finding
is more than informational and not accepted for a reason that is named.

  WAPITI   the wapiti to be used; by default the one on PATH

Example:
  npm run check -- scan
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

const { stdout } = await promisify(execFile)(WAPITI, ['--version']).catch((error: Error) => {
  process.stderr.write(`apt-get install wapiti, or name another one by WAPITI: ${error.message}\n`)
  process.exit(EXIT_CANNOT_RUN)
})
const [version = ''] = /\d+\.\d+\.\d+\s*$/.exec(stdout) ?? []
const isOld = version.startsWith('3.0.')
process.stdout.write(`wapiti ${version.trim()}\n`)

const demo = await startDemo({
  policyFile: fileURLToPath(new URL('../src/engine/sample-policy.toml', import.meta.url)),
  ports: [0],
  https: true,
  // A scan takes longer than a visitor.
  portalEnv: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '86400' },
})
const folder = await mkdtemp(join(tmpdir(), 'wapiti-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => clear().then(() => process.exit(1)))
try {
  if (demo.https === undefined) throw new Error('there is no terminator')
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
  const words = [...addresses, ...modules, ...limits, ...storage, ...output]
  const child = spawn(WAPITI, words, { stdio: ['ignore', 'pipe', 'inherit'] })
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
    ACCEPTED.find(({ says, over }) => says.test(info) && (over === undefined || over === protocol))
  const worse = found.filter(({ info, level }) => level > 0 && acceptance(info) === undefined)
  process.stdout.write(`\n${what}\n`)
  for (const { kind, method, path, info, level } of found) {
    const note = acceptance(info)?.why
    const [said, at] = [info, path].map((text) => text.replaceAll(/\?\S+?(?=\.? |'|$)/g, ''))
    process.stdout.write(`  level ${level}, ${kind}: ${said} (${method} ${at})${note ? `; accepted: ${note}` : ''}\n`)
  }
  process.stdout.write(`  ${crawled.size} addresses, ${found.length} findings, ${worse.length} to be mended\n`)
  // A scan that has not seen what it was sent to shows nothing.
  if (worse.length > 0 || !targets.every((target) => crawled.has(target))) process.exitCode = 1
}

async function clear(): Promise<void> {
  await demo.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Where on the portal the gateway sends who asks for that site. */
async function verdictTarget(site: string): Promise<string> {
  const host = `${site}.localhost:${demo.port}`
  const asking = request({ host: '127.0.0.1', port: demo.port, headers: { host } }).end()
  const [response] = await once(asking, 'response')
  response.resume()
  const { pathname, search } = new URL(response.headers.location ?? '')
  return pathname + search
}
