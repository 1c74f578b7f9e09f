// `npm run check -- tls`: Debian's testssl.sh against the real terminator. No finding may be worse than "low", except
// for those accepted below.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policy } from '../test/engine/running-engine.ts'
import type { Cleanup } from '../test/support/cleanup.ts'
import { hasCommand } from '../test/support/requirement.ts'
import { type Chain, startChain } from '../test/terminator/chain.ts'
import { EXIT_CANNOT_RUN } from './check.ts'

interface Finding {
  readonly id: string
  readonly severity: string
  readonly finding: string
}

const HARMLESS = ['OK', 'INFO', 'LOW']
/** Ids of accepted findings, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {
  engine_problem: "about the local OpenSSL's optional engines, not about the terminator",
  cert_revocation: 'the leaf is short-lived and renewed; the engine revokes nothing',
}
const CHECKS = ['protocols', 'std', 'fs', 'server-preference', 'server-defaults', 'headers', 'vulnerable']

if (!hasCommand('testssl')) {
  process.stderr.write('apt-get install testssl.sh\n')
  process.exit(EXIT_CANNOT_RUN)
}

const closing: (() => Promise<unknown>)[] = []
const t: Cleanup = { after: (close) => closing.unshift(close) }
const chain: Chain = await startChain(t, policy(''))
const folder = await mkdtemp(join(tmpdir(), 'testssl-'))
closing.unshift(() => rm(folder, { recursive: true }))
try {
  const file = join(folder, 'findings.json')
  const batch = ['--quiet', '--warnings', 'batch', '--ip', '127.0.0.1', '--add-ca', chain.caFile]
  const checks = CHECKS.map((check) => `--${check}`)
  const testssl = spawn('testssl', [...batch, '--jsonfile', file, ...checks, chain.baseUrl], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(testssl, 'exit')
  const findings: Finding[] = JSON.parse(await readFile(file, 'utf8'))
  const worse = findings.filter(({ id, severity }) => !HARMLESS.includes(severity) && ACCEPTED[id] === undefined)
  for (const { id, severity, finding } of findings) {
    if (['OK', 'INFO'].includes(severity)) continue
    const reason = ACCEPTED[id] === undefined ? '' : ` (accepted: ${ACCEPTED[id]})`
    process.stdout.write(`${severity} ${id}: ${finding}${reason}\n`)
  }
  process.stdout.write(`${findings.length} findings, ${worse.length} worse than "low" and not accepted\n`)
  process.exitCode = worse.length === 0 && findings.length > 50 ? 0 : 1
} finally {
  for (const close of closing) await close()
}
