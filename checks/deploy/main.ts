// `npm run check -- deploy`: builds the images and tests the deployment with a real Docker Engine and with podman. It
// pulls no image and leaves nothing behind. Without a container engine, and if none can be started, it prints the
// reason and exits with status 77.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mayBeMissing } from '../../test/support/requirement.ts'
import { testWithDocker } from './docker.ts'
import { saveImages } from './images.ts'
import { endAll } from './isolation.ts'
import { podmanLacks, testWithPodman } from './podman.ts'
import { print } from './programs.ts'

const HELP = `Usage: npm run check -- deploy

Builds the images and tests the deployment with podman and with a real Docker
Engine: the running one or, as root, one that it starts. BASE_IMAGE names the
base of the images; without it one is built from the packages of Debian 13, or
of BASE_SUITE. Exits with status 77 if there is no container engine and none can
be started.

Examples:
  npm run check -- deploy
  BASE_IMAGE=node:26-trixie-slim npm run check -- deploy
  BASE_SUITE=bookworm npm run check -- deploy
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

const startedAt = performance.now()
const work = mkdtempSync(join(tmpdir(), 'check-deploy-'))
process.once('exit', () => {
  endAll()
  // A killed process may still be ending.
  rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const archive = join(work, 'images.tar')
const lacks = podmanLacks()
const isGood = [
  await testWithDocker(work, async () => {
    if (lacks === undefined) await saveImages(archive)
  }),
]
if (lacks === undefined) isGood.push(await testWithPodman(work, archive))
else {
  print(`podman is skipped: ${lacks}`)
  isGood.push(mayBeMissing('podman'))
}

const all = isGood.every(Boolean)
print(`${all ? 'passed' : 'failed'} after ${Math.round((performance.now() - startedAt) / 1000)} s`)
process.exit(all ? 0 : 1)
