// Every program of package.json prints its help at once, for a terminal of 80 columns, with an example.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { CHECKS } from '../list.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAX_COLUMNS = 80
/** Programs without options, and gatewayctl, whose help has a separate test. */
const WITHOUT = new Set(['test', 'theme', 'docs', 'gatewayctl'])

const programs = Object.entries(packageJson.scripts).flatMap(([name, command]) => {
  const [, file] = /^node scripts\/run\.mjs ((?!node_modules)\S+\.ts)$/.exec(command) ?? []
  return file === undefined || WITHOUT.has(name)
    ? []
    : [{ command: name === 'start' ? 'npm start' : `npm run ${name}`, args: [file] }]
})
const checks = CHECKS.flatMap((check) =>
  'program' in check && check.hasOptions
    ? [{ command: `npm run check -- ${check.name}`, args: [...check.program] }]
    : [],
)

async function help(args: readonly string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [...args, '--help'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const output = await text(child.stdout)
  return { status: await closed, output }
}

assert.ok(programs.length > 5 && checks.length > 10)
describe('--help', { concurrency: 2 }, () => {
  for (const { command, args } of [...programs, ...checks]) {
    test(`${command} --help`, async () => {
      const { status, output } = await help(args)
      assert.equal(status, 0)
      assert.ok(output.startsWith(`Usage: ${command}`), output)
      assert.match(output, new RegExp(`\\n\\nExamples?:\\n( {2}.*\\n)*? +(\\w+=\\S+ )?${command}`))
      assert.deepEqual(
        output.split('\n').filter((line) => line.length > MAX_COLUMNS),
        [],
      )
    })
  }
})
