// A Docker Engine to try the deployment with: the one that is there, or one of this process's own. Its own one is started
// twice, over the same images: with this machine's network to build them, and in a separate network for the containers.
import { spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Apart, apartRefusal, startApart } from './apart.ts'
import { buildImages, images, makeBase, removeImages } from './images.ts'
import { cannot, has, passes } from './programs.ts'

const ENGINE_SECONDS = 40
const PACKAGES = 'apt-get install docker.io docker-compose mmdebstrap iproute2'
const TESTS = ['checks/deploy/tests/*.test.ts']

/**
 * Builds the images, runs the tests over them.
 * @param built is called once they are, while the engine still runs
 * @returns whether all is well
 */
export async function tryDocker(work: string, built: () => Promise<void>): Promise<boolean> {
  if (!has('docker') || !has('docker-compose')) cannot(`docker and docker-compose are missing: ${PACKAGES}`)
  if (answers()) {
    try {
      await makeImages(work, 'bridge')
      await built()
      return await passes([], TESTS, images)
    } finally {
      removeImages()
    }
  }
  if (process.getuid?.() !== 0) cannot('no Docker Engine answers, and only root can start one')
  const missing = ['dockerd', 'ip'].filter((name) => !has(name))
  if (missing.length > 0) cannot(`no Docker Engine answers, and ${missing.join(' and ')} is missing: ${PACKAGES}`)
  const refusal = apartRefusal()
  if (refusal !== undefined) cannot(`no Docker Engine answers, and ${refusal}`)
  process.env.DOCKER_HOST = `unix://${join(work, 'docker.sock')}`
  const builder = await startEngine(work, 'host', ['--bridge=none', '--iptables=false', '--ip-forward=false'])
  if (docker('info', '--format', '{{.Driver}}').stdout.trim() === 'vfs') {
    cannot(`dockerd finds no way to lay file systems over one another in ${work}: TMPDIR may name another place`)
  }
  await makeImages(work, 'host')
  await built()
  await builder.end()
  const engine = await startEngine(work, 'own', [])
  mustRun('bridge')
  const isGood = await passes(engine.inItsNetwork, TESTS, images)
  await engine.end()
  return isGood
}

async function makeImages(work: string, network: string): Promise<void> {
  await makeBase(work)
  mustRun(network)
  await buildImages(work)
}

async function startEngine(work: string, network: 'own' | 'host', options: readonly string[]): Promise<Apart> {
  const log = join(work, 'dockerd.log')
  const folders = ['--data-root', join(work, 'data'), '--exec-root', join(work, 'exec'), '--pidfile', join(work, 'pid')]
  const written = openSync(log, 'a')
  const words = ['dockerd', '--host', `${process.env.DOCKER_HOST}`, ...folders, ...options]
  const engine = startApart(words, { network, output: written })
  for (const deadline = Date.now() + ENGINE_SECONDS * 1000; !answers(); await sleep(250)) {
    if (engine.isRunning() && Date.now() < deadline) continue
    cannot(`dockerd does not start here: ${readFileSync(log, 'utf8').trim().split('\n').at(-1)}`)
  }
  return engine
}

/** An engine may answer where no container can run. */
function mustRun(network: string): void {
  const { status, stderr } = docker('run', '--rm', '--network', network, images.BASE_TEST_IMAGE, 'true')
  if (status !== 0) cannot(`Docker cannot run a container here: ${stderr.trim().split('\n')[0]}`)
}

function answers(): boolean {
  return docker('info').status === 0
}

function docker(...words: readonly string[]) {
  return spawnSync('docker', words, { encoding: 'utf8', timeout: 60_000 })
}
