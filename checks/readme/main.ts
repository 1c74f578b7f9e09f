// `npm run check -- readme`: README's way to a first page, on machines with nothing but a minimal Debian 12 or 13. What README
// says that you need must be enough.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { commandBlocks, ROOT } from '../../test/deploy/command-blocks.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { workFolder } from '../packages/build.ts'

const SUITES = ['bookworm', 'trixie']
const SECONDS = 900
/** Of this machine: name servers, and whom it trusts. */
const NETWORK = ['/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt']

process.exitCode = await run()

async function run(): Promise<number> {
  const lacking = ['mmdebstrap', 'unshare', 'git'].filter((name) => spawnSync(name, ['--version']).status !== 0)
  if (process.getuid?.() !== 0 || lacking.length > 0) {
    process.stderr.write(`readme: cannot run: it needs root, and ${lacking.join(', ') || 'Linux'}\n`)
    return EXIT_CANNOT_RUN
  }
  const [install = '', start = ''] = commandBlocks('README.md')
    .filter(({ runBy }) => runBy === 'npm run check -- readme')
    .map(({ text }) => text)
  const work = workFolder()
  let failed = 0
  for (const suite of SUITES) {
    const root = createMachine(suite, join(work, suite))
    await expect(suite, root, install, /Setting up libatomic1/)
    for (const file of NETWORK) if (existsSync(file)) copyFileSync(file, join(root, file))
    await expect(suite, root, `cd /root/clone\n${start}`, /^Open http:\/\/localhost:\d+\/ /m)
    const without = 'dpkg --purge --force-depends libatomic1 >/dev/null'
    await expect(suite, root, `${without}\ncd /root/clone\n${start}`, /apt-get install libatomic1/)
    rmSync(root, { recursive: true })
  }
  return failed === 0 ? 0 : 1

  /** Pastes commands into a shell until they print what is expected, or end. */
  async function expect(suite: string, root: string, commands: string, expected: RegExp): Promise<void> {
    const startedAt = performance.now()
    const output = await firstLines(root, commands, expected)
    const isRight = expected.test(output)
    if (!isRight) failed++
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    process.stdout.write(
      `${isRight ? 'passed' : 'FAILED'} ${suite}, ${seconds} s: ${commands.trim().split('\n').at(-1)}\n`,
    )
    if (!isRight) process.stdout.write(`${output}\nexpected: ${expected}\n`)
  }
}

/** @returns the root folder of a minimal Debian with a clone */
function createMachine(suite: string, root: string): string {
  const options = ['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io']
  execFileSync('mmdebstrap', [...options, suite, root], { stdio: ['ignore', 'ignore', 'inherit'] })
  mkdirSync(join(root, 'root', 'clone'))
  const clone = 'set -o pipefail; git archive HEAD | tar -xC "$1"'
  execFileSync('bash', ['-c', clone, 'bash', join(root, 'root', 'clone')], { cwd: ROOT })
  copyFileSync('/etc/resolv.conf', join(root, 'etc', 'resolv.conf'))
  return root
}

/** Its processes end with it, in their own namespace. */
async function firstLines(root: string, commands: string, until: RegExp): Promise<string> {
  const inside = 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" sh -uc "$1" 2>&1'
  const { NODE_EXTRA_CA_CERTS, https_proxy, http_proxy } = process.env
  const env = Object.fromEntries(
    Object.entries({ NODE_EXTRA_CA_CERTS, https_proxy, http_proxy }).filter(([, value]) => value !== undefined),
  )
  const options = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
  const child = spawn('unshare', [...options, 'sh', '-c', inside, root, commands], {
    env: { ...env, HOME: '/root', PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: SECONDS * 1000,
    killSignal: 'SIGKILL',
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let output = ''
  for await (const line of createInterface(child.stdout)) {
    output += `${line}\n`
    // An installation goes on, a program that serves is stopped.
    if (/^Open http/.test(line)) kill()
  }
  await ended
  process.removeListener('exit', kill)
  return until.test(output) ? output : output.split('\n').slice(-30).join('\n')
}
