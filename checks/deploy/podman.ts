// The deployment with podman, the images being those that Docker has built.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { apartRefusal, startApart } from './apart.ts'
import { images } from './images.ts'
import { has, say, testing } from './programs.ts'

const PACKAGES = 'apt-get install podman podman-compose crun netavark aardvark-dns iproute2'
const TESTS = ['checks/deploy/tests/operator.test.ts', 'checks/deploy/tests/policy.test.ts']

/** Why it cannot be tried here; undefined when it can. */
export function podmanLacks(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run it in separate namespaces'
  const missing = ['podman', 'podman-compose', 'crun', 'ip'].filter((name) => !has(name))
  if (missing.length > 0) return `${missing.join(', ')} missing: ${PACKAGES}`
  return apartRefusal()
}

/**
 * @param archive the images
 * @returns whether all is well, which it is as well where podman can run nothing
 */
export async function tryPodman(work: string, archive: string): Promise<boolean> {
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
    // crun wants one version of cgroups or the other.
    'if grep -q " /sys/fs/cgroup/unified " /proc/mounts; then umount /sys/fs/cgroup/unified; fi',
    'mount -t tmpfs tmpfs /run',
    'mount -t tmpfs tmpfs /dev/shm',
    `podman load --quiet --input '${archive}' >/dev/null || exit ${EXIT_CANNOT_RUN}`,
    `podman run --rm --entrypoint true ${images.PORTAL_TEST_IMAGE} || exit ${EXIT_CANNOT_RUN}`,
  ].join('\n')
  const env = {
    ...process.env,
    ...images,
    CONTAINER_ENGINE: 'podman',
    CONTAINERS_CONF: containers,
    CONTAINERS_STORAGE_CONF: storage,
    // Its images keep their health check; there is no systemd that would ask it.
    BUILDAH_FORMAT: 'docker',
    DISABLE_HC_SYSTEMD: 'true',
    DOCKER_HOST: undefined,
  }
  const status = await startApart(testing(TESTS), { setUp, network: 'own', env }).ended
  if (status === EXIT_CANNOT_RUN) say('podman is not tried: it cannot run a container here')
  return status === 0 || status === EXIT_CANNOT_RUN
}
