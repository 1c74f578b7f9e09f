// Tests the deployment with podman, with the images that Docker has built.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCommand, mayBeMissing } from '../../test/support/requirement.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { images } from './images.ts'
import { isolationRefusal, startIsolated } from './isolation.ts'
import { print, testCommand } from './programs.ts'

const PACKAGES = 'apt-get install podman podman-compose crun netavark aardvark-dns iproute2'
const TESTS = ['checks/deploy/tests/operator.test.ts']

/** @returns why podman cannot be tested on this machine; undefined when it can */
export function podmanLacks(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run it in separate namespaces'
  const missing = ['podman', 'podman-compose', 'crun', 'ip'].filter((name) => !hasCommand(name))
  if (missing.length > 0) return `${missing.join(', ')} missing: ${PACKAGES}`
  return isolationRefusal()
}

/**
 * @param archive the images
 * @returns whether all tests passed; true as well where podman cannot run a container, and may be missing
 */
export async function testWithPodman(work: string, archive: string): Promise<boolean> {
  const folder = join(work, 'podman')
  mkdirSync(join(folder, 'networks'), { recursive: true })
  const storage = join(folder, 'storage.conf')
  writeFileSync(storage, `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/data"\nrunroot = "/run/containers"\n`)
  const containers = join(folder, 'containers.conf')
  writeFileSync(
    containers,
    `[engine]\ncgroup_manager = "cgroupfs"\nruntime = "crun"\nevents_logger = "file"\n
[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "${folder}/networks"\n`,
  )
  const setUp = [
    // crun does not support a mix of cgroup versions.
    'if grep -q " /sys/fs/cgroup/unified " /proc/mounts; then umount /sys/fs/cgroup/unified; fi',
    'mount -t tmpfs tmpfs /run',
    'mount -t tmpfs tmpfs /dev/shm',
    `podman load --quiet --input '${archive}' >/dev/null || exit ${EXIT_CANNOT_RUN}`,
    `podman run --rm --entrypoint true ${images.portal} || exit ${EXIT_CANNOT_RUN}`,
  ].join('\n')
  const env = {
    ...process.env,
    CONTAINER_ENGINE: 'podman',
    CONTAINERS_CONF: containers,
    CONTAINERS_STORAGE_CONF: storage,
    // Docker's format keeps the health check; no systemd runs it here.
    BUILDAH_FORMAT: 'docker',
    DISABLE_HC_SYSTEMD: 'true',
    DOCKER_HOST: undefined,
  }
  const status = await startIsolated(testCommand(TESTS), { setUp, network: 'own', env }).ended
  if (status === EXIT_CANNOT_RUN) print(`podman is skipped, because it cannot run a container: ${PACKAGES}`)
  return status === 0 || (status === EXIT_CANNOT_RUN && mayBeMissing('podman'))
}
