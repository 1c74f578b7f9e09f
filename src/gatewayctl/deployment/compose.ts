// A portal in a container that compose made: Docker's compose as a plugin or as the program of old, podman's in both ways.
import { z } from 'zod'
import { Failure } from '../failure.ts'
import { parseAnswers, probeArguments } from './probe.ts'
import type { Commands, Instance, PortalRuntime } from './runtime.ts'

const SERVICE = 'portal'
/** A container is given 30 seconds to end. */
const RECREATE_SECONDS = 90

interface Way {
  readonly compose: readonly string[]
  readonly engine: 'docker' | 'podman'
  /** What follows `compose`, one after the other. */
  readonly recreate: readonly (readonly string[])[]
}

const UP = ['up', '--detach', '--no-deps', '--no-build', '--force-recreate', SERVICE]
const WAYS: readonly Way[] = [
  { compose: ['docker', 'compose'], engine: 'docker', recreate: [UP] },
  // Version 1 cannot recreate a container whose image BuildKit made: KeyError 'ContainerConfig'.
  { compose: ['docker-compose'], engine: 'docker', recreate: [['rm', '--stop', '--force', SERVICE], UP] },
  { compose: ['podman', 'compose'], engine: 'podman', recreate: [UP] },
  { compose: ['podman-compose'], engine: 'podman', recreate: [UP] },
]

/**
 * @param home the folder that the commands run in
 * @param file in that folder
 * @throws {Failure} when none of them is there
 */
export async function findComposeRuntime(commands: Commands, home: string, file: string): Promise<PortalRuntime> {
  for (const way of WAYS) {
    const { status } = await commands.run([...way.compose, 'version'])
    if (status === 0) return composeRuntime(commands, home, file, way)
  }
  const names = WAYS.map(({ compose }) => compose.join(' ')).join(', ')
  throw new Failure(`${file} is there, but nothing that runs it: none of ${names} answers`)
}

function composeRuntime(
  commands: Commands,
  home: string,
  file: string,
  { compose, engine, recreate }: Way,
): PortalRuntime {
  const withFile = [...compose, '--file', file]
  return {
    name: compose.join(' '),
    async instances() {
      const printed = await commands.output(engine === 'docker' ? [...withFile, ...LIST] : podmanList(home))
      const ids = printed.split('\n').filter((line) => /^[0-9a-f]{12,64}$/.test(line))
      if (ids.length === 0) return []
      return parseInspected(await commands.output([engine, 'inspect', ...ids])).map((container) =>
        instance(commands, engine, container),
      )
    },
    async recreate() {
      for (const words of recreate) await commands.change([...withFile, ...words], RECREATE_SECONDS)
    },
  }
}

const LIST = ['ps', '--all', '--quiet', SERVICE]

/** podman-compose itself lists the containers of all services. */
const podmanList = (home: string): readonly string[] => [
  ...['podman', 'ps', '--all', '--quiet', '--no-trunc'],
  ...['--filter', `label=com.docker.compose.service=${SERVICE}`],
  ...['--filter', `label=com.docker.compose.project.working_dir=${home}`],
]

const inspectedShape = z.array(
  z.object({
    Id: z.string(),
    Name: z.string(),
    RestartCount: z.number().default(0),
    State: z.object({
      Status: z.string(),
      Running: z.boolean(),
      ExitCode: z.number(),
      StartedAt: z.string(),
      Health: z.object({ Status: z.string() }).nullish(),
    }),
    Config: z.object({ Image: z.string().optional(), Env: z.array(z.string()).nullish() }),
  }),
)
type Inspected = z.infer<typeof inspectedShape>[number]

function parseInspected(printed: string): readonly Inspected[] {
  try {
    return inspectedShape.parse(JSON.parse(printed))
  } catch {
    throw new Failure(`the container's description is not understood: ${printed.slice(0, 200)}`)
  }
}

function instance(
  { output, run }: Commands,
  engine: string,
  { Id, Name, RestartCount, State, Config }: Inspected,
): Instance {
  const isRunning = State.Running && State.Status === 'running'
  return {
    name: Name.replace(/^\//, ''),
    running: isRunning,
    status: State.Status,
    health: State.Health?.Status || undefined,
    exitCode: isRunning ? undefined : State.ExitCode,
    restarts: RestartCount,
    startedAt: `${Id} ${State.StartedAt}`,
    image: Config.Image,
    variables: Object.fromEntries((Config.Env ?? []).map((line) => line.split(/=(.*)/s, 2) as [string, string])),
    async lastLogLines(count) {
      const { stdout, stderr } = await run([engine, 'logs', '--tail', `${count}`, Id])
      return lines(stdout + stderr).slice(-count)
    },
    // What the portal's own Node is told, such as further folders to read, is wrong for any other.
    ask: async (questions) =>
      parseAnswers(await output([engine, 'exec', '--env', 'NODE_OPTIONS=', Id, 'node', ...probeArguments(questions)])),
  }
}

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '')
