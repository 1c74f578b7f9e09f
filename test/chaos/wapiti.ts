// `npm run check:scan`: Debian's wapiti against the demo behind its terminator, with addresses of valid verdicts. Nothing
// that it finds may be more than informational.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startDemo } from '../../demo/start.ts'

interface Finding {
  readonly method: string
  readonly path: string
  readonly info: string
  /** 0 is informational, 4 critical. */
  readonly level: number
}

type Findings = Readonly<Record<string, readonly Finding[]>>

/** Those that need no service of somebody else, and try no list of names: a path that is not the portal's goes nowhere. */
const MODULES = ['cookieflags', 'crlf', 'csp', 'csrf', 'exec', 'file', 'htaccess', 'http_headers', 'methods']
  .concat(['permanentxss', 'redirect', 'shellshock', 'sql', 'xss'])
  .join(',')
/** Sites of the sample policy: blocked; a warning; a policy; a PIN; a passphrase. */
const SITES = ['casino', 'news', 'social', 'lab', 'archive']
const CRAWL_SECONDS = '60'
const MODULE_SECONDS = '60'
/** What is said of a header, and why it is so. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'X-Frame-Options is not set': "frame-ancestors 'none' says it, and overrules it in every browser that knows both",
  'X-XSS-Protection is not set': 'browsers have given it up; where it worked, it could be turned against a page',
  'Strict-Transport-Security is not set': 'after a change of the CA it would lock out who needs the certificate page',
}

const HELP = `Usage: npm run check:scan

Debian's wapiti against the demo behind its terminator, with addresses of valid
verdicts, for a few minutes. Ends with status 1 when a finding is more than
informational.

Example:
  npm run check:scan
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

const demo = await startDemo({
  policyFile: fileURLToPath(new URL('../../src/engine/sample-policy.toml', import.meta.url)),
  ports: [0],
  https: true,
  // A scan takes longer than a visitor.
  portalEnv: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '86400' },
})
const folder = await mkdtemp(join(tmpdir(), 'wapiti-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => clear().then(() => process.exit(1)))
try {
  const { https } = demo
  if (https === undefined) throw new Error('there is no terminator')
  const verdicts = await Promise.all(SITES.map(verdictTarget))
  const starts = ['/privacy', ...verdicts].flatMap((target) => ['--start', https.url + target])
  const file = join(folder, 'findings.json')
  const limits = ['--max-scan-time', CRAWL_SECONDS, '--max-attack-time', MODULE_SECONDS, '--timeout', '10']
  const storage = ['--store-session', folder, '--store-config', folder, '--flush-session', '--no-bugreport']
  const output = ['--format', 'json', '--output', file, '--verbose', '1']
  const words = ['--url', `${https.url}/`, ...starts, '--module', MODULES, ...limits, ...storage, ...output]
  const scan = spawn('wapiti', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const crawled = new Set<string>()
  for await (const line of createInterface(scan.stdout)) {
    const [, target] = /^\[\+\] GET https:\/\/[^/]+(\/\S*) \(/.exec(line) ?? []
    if (target !== undefined) crawled.add(target)
  }
  const report: Record<'vulnerabilities' | 'anomalies', Findings> = JSON.parse(await readFile(file, 'utf8'))
  const found = [...Object.entries(report.vulnerabilities), ...Object.entries(report.anomalies)].flatMap(
    ([kind, findings]) => findings.map((finding) => ({ kind, ...finding })),
  )
  const worse = found.filter(({ info, level }) => level > 0 && ACCEPTED[info] === undefined)
  for (const { kind, method, path, info, level } of found) {
    const note = ACCEPTED[info] === undefined ? '' : `; accepted: ${ACCEPTED[info]}`
    process.stdout.write(`level ${level}, ${kind}: ${info} (${method} ${path.split('?')[0]})${note}\n`)
  }
  process.stdout.write(`${crawled.size} addresses, ${found.length} findings, ${worse.length} to be mended\n`)
  // A scan that has not seen the verdicts shows nothing.
  process.exitCode = worse.length === 0 && verdicts.every((target) => crawled.has(target)) ? 0 : 1
} finally {
  await clear()
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
