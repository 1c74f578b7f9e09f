// Tests the deployment with a Docker Engine: the running one, or one that this process starts. It is started twice on
// the same images: with this machine's network to build them, and in a separate network for the containers.
import { spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCommand } from '../../test/support/requirement.ts'
import { buildImages, createBase, images, removeImages } from './images.ts'
import { type IsolatedProcess, isolationRefusal, startIsolated } from './isolation.ts'
import { exitCannotRun, passes } from './programs.ts'

const ENGINE_SECONDS = 40
const PACKAGES = 'apt-get install docker.io docker-compose mmdebstrap iproute2 curl'
const TESTS = ['checks/deploy/tests/*.test.ts']

/**
 * Builds the images and runs the tests on them.
 * @param onBuilt called when the images are built, while the engine still runs
 * @returns whether all tests passed
 */
export async function testWithDocker(work: string, onBuilt: () => Promise<void>): Promise<boolean> {
  const lacking = ['docker', 'docker-compose', 'curl'].filter((name) => !hasCommand(name))
  if (lacking.length > 0) exitCannotRun(`${lacking.join(', ')} missing: ${PACKAGES}`)
  if (isEngineRunning()) {
    try {
      await createImages(work, 'bridge')
      await onBuilt()
      return await passes([], TESTS)
    } finally {
      removeImages()
    }
  }
  if (process.getuid?.() !== 0) exitCannotRun('no Docker Engine is running, and only root can start one')
  const missing = ['dockerd', 'ip'].filter((name) => !hasCommand(name))
  if (missing.length > 0)
    exitCannotRun(`no Docker Engine is running, and ${missing.join(' and ')} is missing: ${PACKAGES}`)
  const refusal = isolationRefusal()
  if (refusal !== undefined) exitCannotRun(`no Docker Engine is running: ${refusal}`)
  process.env.DOCKER_HOST = `unix://${join(work, 'docker.sock')}`
  const builder = await startEngine(work, 'host', ['--bridge=none', '--iptables=false', '--ip-forward=false'])
  if (docker('info', '--format', '{{.Driver}}').stdout.trim() === 'vfs') {
    exitCannotRun(`dockerd has no overlay storage driver for ${work}: set TMPDIR to another file system`)
  }
  await createImages(work, 'host')
  await onBuilt()
  await builder.end()
  const engine = await startEngine(work, 'own', [])
  requireContainers('bridge')
  const isGood = await passes(engine.enterNetwork, TESTS)
  await engine.end()
  return isGood
}

async function createImages(work: string, network: string): Promise<void> {
  await createBase(work)
  requireContainers(network)
  await buildImages(work)
}

async function startEngine(
  work: string,
  network: 'own' | 'host',
  options: readonly string[],
): Promise<IsolatedProcess> {
  const log = join(work, 'dockerd.log')
  const folders = ['--data-root', join(work, 'data'), '--exec-root', join(work, 'exec'), '--pidfile', join(work, 'pid')]
  const written = openSync(log, 'a')
  const args = ['dockerd', '--host', `${process.env.DOCKER_HOST}`, ...folders, ...options]
  const engine = startIsolated(args, { network, output: written })
  for (const deadline = Date.now() + ENGINE_SECONDS * 1000; !isEngineRunning(); await sleep(250)) {
    if (engine.isRunning() && Date.now() < deadline) continue
    exitCannotRun(`dockerd does not start: ${readFileSync(log, 'utf8').trim().split('\n').at(-1)}`)
  }
  return engine
}

/** A running engine does not mean that a container can run. */
function requireContainers(network: string): void {
  const { status, stderr } = docker('run', '--rm', '--network', network, images.base, 'true')
  if (status !== 0) exitCannotRun(`Docker cannot run a container: ${stderr.trim().split('\n')[0]}`)
}

function isEngineRunning(): boolean {
  return docker('info').status === 0
}

function docker(...args: readonly string[]) {
  return spawnSync('docker', args, { encoding: 'utf8', timeout: 60_000 })
}
