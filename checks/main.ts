// `npm run check`: runs everything that needs root, a container engine or several minutes. Without a name it lists the
// checks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CHECKS } from './list.ts'
import { runChecks } from './runner.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

// Ctrl-C reaches the running check from the terminal; the ones after it are not started.
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})

process.exitCode = await runChecks(process.argv.slice(2), {
  root,
  checks: CHECKS,
  async spawn(args) {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
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
  isStrict: process.env.REQUIRE_ALL === '1',
})
