// `npm run check`: runs what takes minutes, root or a whole machine. Without a name it lists the checks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CHECKS } from './list.ts'
import { runChecks } from './runner.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

const isLinux = process.platform === 'linux'
const MISSING: Readonly<Record<string, boolean>> = {
  root: !isLinux || process.getuid?.() !== 0,
  Linux: !isLinux,
  'Linux on x64': !isLinux || process.arch !== 'x64',
}

// Ctrl-C reaches the running check from the terminal; the ones after it are not started.
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})

process.exitCode = await runChecks(process.argv.slice(2), {
  root,
  checks: CHECKS,
  async spawn(args, variables = {}) {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...variables } })
    const terminate = () => {
      isInterrupted = true
      child.kill('SIGTERM')
    }
    process.on('SIGTERM', terminate)
    const [status] = await once(child, 'exit')
    process.off('SIGTERM', terminate)
    if (isInterrupted) process.exit(1)
    return status ?? 1
  },
  print: (text) => process.stdout.write(text),
  now: () => new Date(),
  lacks: (need) => MISSING[need] === true,
  isStrict: process.env.REQUIRE_ALL === '1',
})
