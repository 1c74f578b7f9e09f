// `npm run check -- deploy`: the images are built, and the deployment is tried with a real Docker Engine and with podman. It
// needs no image from elsewhere, and leaves nothing behind. Where there is no container engine and none can be started, it
// says why in one line and ends with status 77.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endAll } from './apart.ts'
import { tryDocker } from './docker.ts'
import { saveImages } from './images.ts'
import { podmanLacks, tryPodman } from './podman.ts'
import { say } from './programs.ts'

const HELP = `Usage: npm run check -- deploy

Builds the images and tries the deployment with a real Docker Engine, the one
that answers or one of its own where root runs it, and with podman. BASE_IMAGE
names the base of the images; without it one is made of Debian's packages. Ends
with status 77 where there is no container engine and none can be started.

Examples:
  npm run check -- deploy
  BASE_IMAGE=node:26-slim npm run check -- deploy
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

const startedAt = performance.now()
const work = mkdtempSync(join(tmpdir(), 'check-deploy-'))
process.once('exit', () => {
  endAll()
  // What has just been killed may still be ending.
  rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const archive = join(work, 'images.tar')
const lacks = podmanLacks()
const isGood = [
  await tryDocker(work, async () => {
    if (lacks === undefined) await saveImages(archive)
  }),
]
if (lacks === undefined) isGood.push(await tryPodman(work, archive))
else say(`podman is not tried: ${lacks}`)

const all = isGood.every(Boolean)
say(`${all ? 'good' : 'failed'} after ${Math.round((performance.now() - startedAt) / 1000)} s`)
process.exit(all ? 0 : 1)
