// A Debian machine in a container that systemd boots, without a network.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isolated } from '../deploy/isolation.ts'

const BOOT_SECONDS = 90
const COMMAND_SECONDS = 180

export interface Machine {
  /** Runs a script of the shell as root. @returns its standard output @throws {Error} with its output, unless it ends with status 0 */
  run(script: string): string
  /** Copies files to /root. */
  copyIn(...files: readonly string[]): void
  /** The path of a file of the machine. */
  path(file: string): string
  stop(): Promise<void>
}

/** @param base a tar archive of the root; @param folder does not exist yet */
export async function startMachine(base: string, folder: string): Promise<Machine> {
  mkdirSync(folder)
  const { status } = spawnSync('tar', ['-C', folder, '-xf', base], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${base} cannot be unpacked`)
  // No machined and no scope: they need systemd as process 1 of this machine.
  const options = ['--register=no', '--keep-unit', '--private-network', '--console=pipe', '--quiet']
  // In a namespace of processes that ends with this one: systemd-nspawn may be killed without its machine.
  const [program = '', ...args] = isolated('host', ['systemd-nspawn', ...options, '--directory', folder, '--boot'])
  const container = spawn(program, args, { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => {
    container.once('error', () => resolve()).once('exit', () => resolve())
  })
  const kill = () => container.kill('SIGKILL')
  process.once('exit', kill)
  const enter = (script: string) => {
    const leader = leaderOf(container)
    const environment = [
      'env',
      '-i',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'HOME=/root',
      'LC_ALL=C.UTF-8',
    ]
    const words = ['--target', `${leader}`, '--all', '--', ...environment, 'sh', '-euc', script]
    return spawnSync('nsenter', words, {
      encoding: 'utf8',
      timeout: COMMAND_SECONDS * 1000,
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
  for (const deadline = Date.now() + BOOT_SECONDS * 1000; ; await sleep(500)) {
    if (container.exitCode !== null) throw new Error('systemd-nspawn has exited')
    if (
      leaderOf(container) !== undefined &&
      /running|degraded/.test(enter('systemctl is-system-running || true').stdout)
    ) {
      break
    }
    if (Date.now() > deadline) throw new Error('the machine does not start')
  }
  return {
    run(script) {
      const { status, stdout, stderr, error } = enter(script)
      if (status !== 0) throw new Error(`${script}\n${error ?? ''}${stdout}${stderr}`)
      return stdout
    },
    copyIn(...files) {
      for (const file of files) copyFileSync(file, join(folder, 'root', basename(file)))
    },
    path: (file) => join(folder, file),
    async stop() {
      kill()
      await ended
      process.removeListener('exit', kill)
      // The machine's processes may still be ending.
      rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 250 })
    },
  }
}

/** The number of the machine's process 1 on this machine. */
function leaderOf({ pid }: ChildProcess): number | undefined {
  // The loop also visits processes that it adds.
  const found = new Set(pid === undefined ? [] : [pid])
  for (const one of found) {
    if (read(`/proc/${one}/comm`) === 'systemd\n') return one
    for (const child of read(`/proc/${one}/task/${one}/children`).split(' ')) if (child !== '') found.add(Number(child))
  }
  return undefined
}

/** Empty for a process that has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
