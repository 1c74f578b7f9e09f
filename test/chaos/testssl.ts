// `npm run check:tls`: Debian's testssl.sh against the real chain. Nothing that it finds may be worse than "low".
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policy } from '../engine/running-engine.ts'
import { startChain } from '../terminator/chain.ts'

interface Finding {
  readonly id: string
  readonly severity: string
  readonly finding: string
}

const HARMLESS = ['OK', 'INFO', 'LOW']
// The leaf names no place that says whether it was revoked: the CA is private, browsers ask no such place for it, and a
// leaf whose key leaked is replaced. A place that could not be reached would fail the clients that do ask.
const ACCEPTED = ['cert_revocation']
const CHECKS = ['protocols', 'std', 'fs', 'server-preference', 'server-defaults', 'headers', 'vulnerable']

const closing: (() => Promise<unknown>)[] = []
const chain = await startChain({ after: (close) => closing.unshift(close) }, policy(''))
const folder = await mkdtemp(join(tmpdir(), 'testssl-'))
closing.unshift(() => rm(folder, { recursive: true }))
try {
  const file = join(folder, 'findings.json')
  const batch = ['--quiet', '--warnings', 'batch', '--ip', '127.0.0.1', '--add-ca', chain.caFile, '--jsonfile', file]
  const checks = CHECKS.map((check) => `--${check}`)
  const testssl = spawn('testssl', [...batch, ...checks, chain.baseUrl], { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(testssl, 'exit')
  const findings: Finding[] = JSON.parse(await readFile(file, 'utf8'))
  const worse = findings.filter(({ id, severity }) => !HARMLESS.includes(severity) && !ACCEPTED.includes(id))
  for (const { id, severity, finding } of findings) {
    const note = ACCEPTED.includes(id) ? ' (accepted, see test/chaos/testssl.ts)' : ''
    if (!['OK', 'INFO'].includes(severity)) process.stdout.write(`${severity} ${id}: ${finding}${note}\n`)
  }
  process.stdout.write(`${findings.length} findings, ${worse.length} worse than "low"\n`)
  process.exitCode = worse.length === 0 && findings.length > 50 ? 0 : 1
} finally {
  for (const close of closing) await close()
}
