// How many block pages one core gives, beside what Node can do at all. The servers take turns, because a machine's
// speed changes from minute to minute: only ratios within one turn mean anything.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveKeyring } from '../src/contract/secret.ts'
import { fetchPage, startBareServer, startPortal } from './contenders.ts'
import { measure, warmUp } from './measure.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { circumstances, writeIntoDocument } from './record.ts'
import { figures, ratios } from './report.ts'
import { blockedNavigations, type Navigation, requestBytes } from './requests.ts'
import { findCores, pin } from './servers.ts'

// Up to about here a server grows faster, while its code is being compiled on the very core that it needs.
const WARM_UP_REQUESTS = 70_000

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const options = readOptions(process.argv.slice(2))
  process.stdout.write(options === undefined ? USAGE : await bench(options), () => process.exit(0))
} catch (error) {
  say((error as Error).message)
  process.exit(1)
}

/** Runs everything; gives the Markdown. */
async function bench(options: Options): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const cores = findCores()
  if (cores !== undefined) pin(process.pid, cores.load)
  const underWhichCircumstances = circumstances(options, cores)

  const secret = randomBytes(32).toString('base64url')
  const { sealing } = deriveKeyring([secret])
  const navigations = blockedNavigations(Math.floor(Date.now() / 1000), sealing)
  const shape = { ...options, requests: navigations.map(requestBytes) }
  const surroundings = { folder, cores, requests: navigations.length }

  say('warming up')
  const portal = await startPortal(secret, surroundings)
  await warmUp(portal, shape, WARM_UP_REQUESTS)
  const page = await fetchPage(portal.server, navigations[indexOfMedian(portal.lengths)] as Navigation)
  const bare = await startBareServer(page, undefined, surroundings)
  await warmUp(bare, shape, WARM_UP_REQUESTS)
  const opening = await startBareServer(page, sealing.key.export(), surroundings)
  await warmUp(opening, shape, WARM_UP_REQUESTS)

  for (let round = 1; round <= options.rounds; round++) {
    say(`round ${round} of ${options.rounds}`)
    for (const one of [portal, opening, bare]) one.runs.push(await measure(one, shape))
  }
  const result = [
    underWhichCircumstances,
    figures([portal, opening, bare]),
    ratios([
      [portal, bare],
      [portal, opening],
      [opening, bare],
    ]),
  ].join('\n')
  if (options.write) writeIntoDocument('npm run bench', result)
  return result
}

/** Of those that are known. */
function indexOfMedian(lengths: Uint32Array): number {
  const known = lengths.filter((length) => length > 0).toSorted()
  return lengths.indexOf(known[known.length >> 1] as number)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
