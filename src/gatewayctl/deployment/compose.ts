// A portal in a compose container: Docker's compose plugin, docker-compose 1, podman compose, podman-compose.
import { z } from 'zod'
import { Failure } from '../failure.ts'
import { podmanList, recreation } from './podman.ts'
import { parseProbeResult, probeArguments } from './probe.ts'
import type { Commands, Instance, PortalRuntime } from './runtime.ts'

const SERVICE = 'portal'
/** A container gets 30 seconds to stop. */
const RECREATE_SECONDS = 90

interface ComposeProgram {
  readonly compose: readonly string[]
  readonly engine: 'docker' | 'podman'
}

const COMPOSE_PROGRAMS: readonly ComposeProgram[] = [
  { compose: ['docker', 'compose'], engine: 'docker' },
  { compose: ['docker-compose'], engine: 'docker' },
  { compose: ['podman', 'compose'], engine: 'podman' },
  { compose: ['podman-compose'], engine: 'podman' },
]
const UP = ['up', '--detach', '--no-deps', '--no-build']

/**
 * Several may be installed, some without a running engine: returns the first that lists a container of the portal. If none does,
 * returns the first that is installed; its own errors report what is missing.
 * @param home the working folder of the commands
 * @param files the compose files, relative to it
 * @throws {Failure} when none is installed
 */
export async function findComposeRuntime(
  commands: Commands,
  home: string,
  files: readonly string[],
): Promise<PortalRuntime> {
  let first: PortalRuntime | undefined
  for (const program of COMPOSE_PROGRAMS) {
    const { status } = await commands.run([...program.compose, 'version'])
    if (status !== 0) continue
    const runtime = composeRuntime(commands, home, files, program)
    first ??= runtime
    const { status: listed, stdout } = await commands.run(listing(program, home, files))
    if (listed === 0 && idsIn(stdout).length > 0) return runtime
  }
  if (first !== undefined) return first
  const names = COMPOSE_PROGRAMS.map(({ compose }) => compose.join(' ')).join(', ')
  throw new Failure(`${files[0]} exists, but no program to run it: none of ${names} responds`)
}

/** Prints the ids of the portal's containers. */
const listing = (program: ComposeProgram, home: string, files: readonly string[]): readonly string[] =>
  program.engine === 'docker'
    ? [...withFiles(program, files), 'ps', '--all', '--quiet', SERVICE]
    : podmanList(home, SERVICE)

const withFiles = ({ compose }: ComposeProgram, files: readonly string[]): readonly string[] => [
  ...compose,
  ...files.flatMap((file) => ['--file', file]),
]

const idsIn = (printed: string) => lines(printed).filter((line) => /^[0-9a-f]{12,64}$/.test(line))

function composeRuntime(
  commands: Commands,
  home: string,
  files: readonly string[],
  program: ComposeProgram,
): PortalRuntime {
  const { compose, engine } = program
  const named = withFiles(program, files)
  return {
    name: compose.join(' '),
    async instances() {
      const found = idsIn(await commands.output(listing(program, home, files)))
      if (found.length === 0) return []
      return parseInspected(await commands.output([engine, 'inspect', ...found])).map((container) =>
        instance(commands, engine, container),
      )
    },
    async recreate() {
      if (engine === 'podman') {
        return await commands.change(await recreation(commands, home, SERVICE, [...named, ...UP]), RECREATE_SECONDS)
      }
      // Version 1 fails to recreate a container of an image that BuildKit built: KeyError 'ContainerConfig'.
      if (compose.length === 1) await commands.change([...named, 'rm', '--stop', '--force', SERVICE], RECREATE_SECONDS)
      await commands.change([...named, ...UP, '--force-recreate', SERVICE], RECREATE_SECONDS)
    },
  }
}

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
    throw new Failure(`unexpected output of inspect: ${printed.slice(0, 200)}`)
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
    // The portal's NODE_OPTIONS may grant folders, which fails for a Node without the permission model.
    probe: async (request) =>
      parseProbeResult(
        await output([engine, 'exec', '--env', 'NODE_OPTIONS=', Id, 'node', ...probeArguments(request)]),
      ),
  }
}

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '')
