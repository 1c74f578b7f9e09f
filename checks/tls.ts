// `npm run check -- tls`: Debian's testssl.sh against the real chain. Nothing that it finds may be worse than "low". Beside the
// chain stands what an operator has: a web server with the CA's revocation list.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policy } from '../test/engine/running-engine.ts'
import type { Cleanup } from '../test/support/cleanup.ts'
import { startListServer } from '../test/support/list-server.ts'
import { hasCommand } from '../test/support/requirement.ts'
import { type Chain, startChain } from '../test/terminator/chain.ts'
import { EXIT_CANNOT_RUN } from './check.ts'

interface Finding {
  readonly id: string
  readonly severity: string
  readonly finding: string
}

const HARMLESS = ['OK', 'INFO', 'LOW']
const CHECKS = ['protocols', 'std', 'fs', 'server-preference', 'server-defaults', 'headers', 'vulnerable']

const HELP = `Usage: npm run check -- tls

Debian's testssl.sh against the terminator, for about two minutes. Ends with
status 1 when a finding is worse than "low".

Example:
  npm run check -- tls
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

if (!hasCommand('testssl')) {
  process.stderr.write('apt-get install testssl.sh\n')
  process.exit(EXIT_CANNOT_RUN)
}

const closing: (() => Promise<unknown>)[] = []
const t: Cleanup = { after: (close) => closing.unshift(close) }
const crlUrl = await startListServer(t, () => join(chain.engine.folder, 'revocation', 'ca.crl'))
const chain: Chain = await startChain(t, policy(`crl_url = "${crlUrl}"`))
const folder = await mkdtemp(join(tmpdir(), 'testssl-'))
closing.unshift(() => rm(folder, { recursive: true }))
try {
  const file = join(folder, 'findings.json')
  // To fetch the list, and nothing from outside: with this it would ask a public database about the key as well.
  await writeFile(join(folder, '.curlrc'), 'proto = "=http"\n')
  const batch = ['--phone-out', '--quiet', '--warnings', 'batch', '--ip', '127.0.0.1', '--add-ca', chain.caFile]
  const checks = CHECKS.map((check) => `--${check}`)
  const testssl = spawn('testssl', [...batch, '--jsonfile', file, ...checks, chain.baseUrl], {
    env: { ...process.env, CURL_HOME: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(testssl, 'exit')
  const findings: Finding[] = JSON.parse(await readFile(file, 'utf8'))
  const worse = findings.filter(({ severity }) => !HARMLESS.includes(severity))
  for (const { id, severity, finding } of findings) {
    if (!['OK', 'INFO'].includes(severity)) process.stdout.write(`${severity} ${id}: ${finding}\n`)
  }
  const isFetched = findings.some(({ id, severity }) => id.startsWith('cert_crlRevoked') && severity === 'OK')
  process.stdout.write(`${findings.length} findings, ${worse.length} worse than "low"`)
  process.stdout.write(isFetched ? ', the leaf not revoked\n' : ', the revocation list not fetched\n')
  process.exitCode = worse.length === 0 && isFetched && findings.length > 50 ? 0 : 1
} finally {
  for (const close of closing) await close()
}
