// The scenarios that are programs of their own, with options of their own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { hasCommand } from '../support/requirement.ts'
import { Findings, type Scenario } from './scenario.ts'

interface Program {
  readonly name: string
  readonly about: string
  readonly file: string
  readonly lacks?: string | undefined
}

function program({ file, ...scenario }: Program): Scenario {
  return {
    ...scenario,
    isLong: true,
    async run({ isShort, after }) {
      const findings = new Findings()
      const words = isShort && file === 'ledger.ts' ? ['--seconds', '8', '--rate', '60', '--kill-every', '2'] : []
      const path = fileURLToPath(new URL(file, import.meta.url))
      const child = spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
      after(() => child.kill('SIGTERM'))
      const ended = once(child, 'exit')
      for (const line of (await text(child.stdout)).trim().split('\n')) findings.figure(line.trimEnd(), '')
      const [status] = await ended
      findings.expect(status === 0, `it ended with status ${status}`)
      return findings
    },
  }
}

export const ledger = program({
  name: 'ledger',
  about: 'kill -9 under load, PostgreSQL and SQLite: never a session without a row (npm run chaos:ledger)',
  file: 'ledger.ts',
})
export const slowClients = program({
  name: 'slow-clients',
  about: 'a thousand slow clients beside normal traffic: it stays at 99.9 % good (npm run chaos:slow)',
  file: 'slow-clients.ts',
  lacks: hasCommand('slowhttptest') ? undefined : 'needs slowhttptest: apt-get install slowhttptest',
})
export const tlsChecks = program({
  name: 'tls',
  about: 'testssl.sh against the terminator: nothing worse than "low" (npm run check:tls)',
  file: 'testssl.ts',
  lacks: hasCommand('testssl') ? undefined : 'needs testssl.sh: apt-get install testssl.sh',
})
