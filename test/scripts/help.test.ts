// What every program of package.json says of itself: at once, on a terminal of 80 columns, with an example.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { CHECKS } from '../../checks/list.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MOST_COLUMNS = 80
/** Those that take nothing from a person's hand, and gatewayctl, whose help has a test of its own. */
const WITHOUT = new Set(['test', 'theme', 'docs', 'gatewayctl'])

const programs = Object.entries(packageJson.scripts).flatMap(([name, command]) => {
  const [, file] = /^node scripts\/run\.mjs ((?!node_modules)\S+\.ts)$/.exec(command) ?? []
  return file === undefined || WITHOUT.has(name)
    ? []
    : [{ command: name === 'start' ? 'npm start' : `npm run ${name}`, words: [file] }]
})
// bench-scenarios is `npm run bench` with arguments.
const checks = CHECKS.filter(({ program: [file] }) => programs.every(({ words }) => words[0] !== file)).map(
  ({ name, program }) => ({ command: `npm run check -- ${name}`, words: program }),
)

async function help(words: readonly string[]): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, [...words, '--help'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const said = await text(child.stdout)
  return { status: await closed, said }
}

assert.ok(programs.length > 5 && checks.length > 15)
describe('--help', { concurrency: 2 }, () => {
  for (const { command, words } of [...programs, ...checks]) {
    test(`${command} --help`, async () => {
      const { status, said } = await help(words)
      assert.equal(status, 0)
      assert.ok(said.startsWith(`Usage: ${command}`), said)
      assert.match(said, new RegExp(`\\n\\nExamples?:\\n( {2}.*\\n)*? +(\\w+=\\S+ )?${command}`))
      assert.deepEqual(
        said.split('\n').filter((line) => line.length > MOST_COLUMNS),
        [],
      )
    })
  }
})
