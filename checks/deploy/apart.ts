// Programs that change a machine (a container engine makes mounts, bridges, rules of the packet filter, and processes that
// outlive it), kept away from this one: what they make is in namespaces of theirs, and goes when they end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Apart {
  /** Words before a command that is to see its network. */
  readonly inItsNetwork: readonly string[]
  isRunning(): boolean
  /** Its exit status, null after a signal. */
  readonly ended: Promise<number | null>
  /** Asks it to end, and waits until it has. */
  end(): Promise<void>
}

interface Surroundings {
  /** Its own network, with nothing but the loopback device, or this machine's. */
  readonly network: 'own' | 'host'
  /** A script of a shell, in the namespaces, before the command. */
  readonly setUp?: string
  /** A descriptor for what it writes; this process's own otherwise. */
  readonly output?: number
  readonly env?: NodeJS.ProcessEnv
}

const running = new Set<ChildProcess>()

/** The words that run these so, as root. It ends with this process, however that ends. */
export function apart(network: Surroundings['network'], words: readonly string[], setUp = ''): readonly string[] {
  const script = [...(network === 'own' ? ['ip link set lo up'] : []), setUp, '"$@" & wait $!'].join('\n')
  return [
    ...['setpriv', '--pdeathsig', 'KILL'],
    ...(network === 'own' ? ['unshare', '--net'] : []),
    ...['unshare', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child', 'sh', '-ec', script, 'sh'],
    ...words,
  ]
}

/** Why nothing can be run so. */
export function apartRefusal(): string | undefined {
  const [program = '', ...args] = apart('own', ['true'])
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? undefined : `no namespaces can be made here: ${stderr.trim().split('\n')[0]}`
}

export function startApart(words: readonly string[], { network, setUp, output, env }: Surroundings): Apart {
  const [program = '', ...args] = apart(network, words, setUp)
  const stream = output ?? 'inherit'
  const child = spawn(program, args, { cwd: ROOT, detached: true, stdio: ['ignore', stream, stream], env })
  running.add(child)
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null)).once('exit', resolve)
  })
  void ended.then(() => running.delete(child))
  return {
    inItsNetwork: network === 'own' ? ['nsenter', `--net=/proc/${child.pid}/ns/net`, '--'] : [],
    isRunning: () => running.has(child),
    ended,
    async end() {
      signal(child, 'SIGTERM')
      await ended
    },
  }
}

/** At once. */
export function endAll(): void {
  for (const child of running) signal(child, 'SIGKILL')
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid ?? Number.NaN), name)
  } catch {
    // It has just ended.
  }
}
