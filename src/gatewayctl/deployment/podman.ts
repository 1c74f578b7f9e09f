// Podman's compose neither lists nor recreates the containers of one service reliably.
import { z } from 'zod'
import { Failure } from '../failure.ts'
import type { Commands } from './runtime.ts'

const SERVICE_LABEL = 'com.docker.compose.service'

const containersShape = z.array(
  z.object({
    Id: z.string().regex(/^[0-9a-f]{64}$/),
    /** Ids of the containers that it depends on. */
    Dependencies: z.array(z.string()).nullish(),
    Config: z.object({ Labels: z.record(z.string(), z.string()) }),
  }),
)
type ContainerWithDependencies = z.infer<typeof containersShape>[number]

/** Prints the container ids of a deployment: of one service, or all. */
export const podmanList = (home: string, service?: string): readonly string[] => [
  ...['podman', 'ps', '--all', '--quiet', '--no-trunc'],
  ...['--filter', `label=com.docker.compose.project.working_dir=${home}`],
  ...(service === undefined ? [] : ['--filter', `label=${SERVICE_LABEL}=${service}`]),
]

/**
 * The command line that recreates a service. `podman rm` removes the container, because podman-compose 1.0 (Debian 12) only
 * claims to recreate it. Later versions tie a container to its dependencies, so dependants are removed and started with it. It
 * is one program, which continues when gatewayctl is killed.
 * @param up starts the services whose names follow
 * @throws {Failure}
 */
export async function recreation(
  { output }: Commands,
  home: string,
  service: string,
  up: readonly string[],
): Promise<readonly string[]> {
  const ids = (await output(podmanList(home))).split('\n').filter((line) => line !== '')
  const containers = ids.length === 0 ? [] : parseContainers(await output(['podman', 'inspect', ...ids]))
  const toRemove = new Set(containers.filter((container) => serviceOf(container) === service))
  // The set grows during the iteration.
  for (const { Id } of toRemove) {
    for (const container of containers) if (container.Dependencies?.includes(Id)) toRemove.add(container)
  }
  const removal = `podman rm --force --depend --time 30 ${Array.from(toRemove, ({ Id }) => Id).join(' ')}\n`
  const services = new Set([service, ...Array.from(toRemove, serviceOf)])
  return ['sh', '-ec', `${toRemove.size === 0 ? '' : removal}exec "$@"`, 'sh', ...up, ...services]
}

const serviceOf = ({ Config }: ContainerWithDependencies): string => Config.Labels[SERVICE_LABEL] ?? ''

function parseContainers(printed: string): readonly ContainerWithDependencies[] {
  try {
    return containersShape.parse(JSON.parse(printed))
  } catch {
    throw new Failure(`unexpected output of podman inspect: ${printed.slice(0, 200)}`)
  }
}
