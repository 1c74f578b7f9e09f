// Runs programs that change the machine (a container engine creates mounts, bridges, packet filter rules and long-lived
// processes) in separate namespaces, which disappear with them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface IsolatedProcess {
  /** Prefix for a command that runs in its network namespace. */
  readonly enterNetwork: readonly string[]
  isRunning(): boolean
  /** The exit status; null after a signal. */
  readonly ended: Promise<number | null>
  /** Sends SIGTERM and waits for the exit. */
  end(): Promise<void>
}

interface Isolation {
  /** `own`: a new network namespace with only the loopback device; `host`: this machine's network. */
  readonly network: 'own' | 'host'
  /** A shell script that runs in the namespaces before the command. */
  readonly setUp?: string
  /** Descriptor for its output; inherited otherwise. */
  readonly output?: number
  readonly env?: NodeJS.ProcessEnv
}

const running = new Set<ChildProcess>()

/** @returns the command that runs this one isolated, as root; it is killed when this process ends for any reason */
export function isolated(network: Isolation['network'], command: readonly string[], setUp = ''): readonly string[] {
  const script = [...(network === 'own' ? ['ip link set lo up'] : []), setUp, '"$@" & wait $!'].join('\n')
  return [
    ...['setpriv', '--pdeathsig', 'KILL'],
    ...(network === 'own' ? ['unshare', '--net'] : []),
    ...['unshare', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child', 'sh', '-ec', script, 'sh'],
    ...command,
  ]
}

/** @returns why nothing can run isolated; undefined when it can */
export function isolationRefusal(): string | undefined {
  const [program = '', ...args] = isolated('own', ['true'])
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? undefined : `cannot create namespaces: ${stderr.trim().split('\n')[0]}`
}

export function startIsolated(command: readonly string[], { network, setUp, output, env }: Isolation): IsolatedProcess {
  const [program = '', ...args] = isolated(network, command, setUp)
  const stream = output ?? 'inherit'
  const child = spawn(program, args, { cwd: ROOT, detached: true, stdio: ['ignore', stream, stream], env })
  running.add(child)
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null)).once('exit', resolve)
  })
  void ended.then(() => running.delete(child))
  return {
    enterNetwork: network === 'own' ? ['nsenter', `--net=/proc/${child.pid}/ns/net`, '--'] : [],
    isRunning: () => running.has(child),
    ended,
    async end() {
      signal(child, 'SIGTERM')
      await ended
    },
  }
}

/** Kills all isolated processes at once. */
export function endAll(): void {
  for (const child of running) signal(child, 'SIGKILL')
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid ?? Number.NaN), name)
  } catch {
    // It has already exited.
  }
}
