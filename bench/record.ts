// Under which circumstances a run was made, and the place of each command's last run in docs/performance.md.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import type { Options } from './options.ts'
import type { Cores } from './servers.ts'

const DOCUMENT = new URL('../docs/performance.md', import.meta.url)

/** To be asked before the first run. */
export function circumstances({ seconds, rounds, connections }: Options, cores: Cores | undefined): string {
  const pinned = cores
    ? 'server and load pinned to a core each'
    : 'no two cores or no `taskset`: nothing is pinned, the figures are rough'
  return `- Date: ${new Date().toISOString().slice(0, 10)}; commit: ${commit()}; Node ${process.version}
- Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}; ${pinned}
- Other work on the machine before the run: load average ${loadavg()[0]?.toFixed(1)}
- Command: \`npm run bench -- --seconds ${seconds} --rounds ${rounds} --connections ${connections}\`
- Load: GET \`/blocked\`, 10,000 different payloads, five \`Accept-Language\` values; a closed loop over kept-alive connections
- Logging: every server writes one line for each request, with the same logger, to the null device
`
}

/** @throws {Error} when the command's place is gone */
export function writeIntoDocument(
  command: 'npm run bench' | 'npm run bench:ledger' | 'npm run lighthouse',
  result: string,
): void {
  const text = readFileSync(DOCUMENT, 'utf8')
  const place = new RegExp(`(?<=<!-- ${command} -- --write: from here -->\\n)[\\s\\S]*?(?=<!-- to here -->)`)
  if (!place.test(text)) throw new Error('docs/performance.md has no place for the result')
  writeFileSync(
    DOCUMENT,
    text.replace(place, () => `\n${result}\n`),
  )
}

/** The one that is checked out, and whether anything differs from it. */
export function commit(): string {
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes')
  } catch {
    return 'unknown'
  }
}

function git(...words: string[]): string {
  return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}
