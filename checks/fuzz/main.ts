// `npm run check -- fuzz`: fuzzes every parser of outside input, guided by V8's coverage. Failing inputs are written to
// test/regressions/fuzz/, where test/checks/fuzz.test.ts replays them.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { MAXIMUM_INPUT_BYTES } from './target.ts'
import { targets } from './targets.ts'
import type { Assignment, Report } from './worker.ts'

const HELP = `Usage: npm run check -- fuzz [--minutes N] [--target NAME …]

Fuzzes one target after the other, N minutes in total (3). Exits with status 1
when an input failed. Targets:
${targets.map(({ name }) => `  ${name}\n`).join('')}
Example:
  npm run check -- fuzz --minutes 2 --target query --target markdown
`
/** An input that takes longer counts as an endless loop. */
const PATIENCE_SECONDS = 20
const FOUND = fileURLToPath(new URL('../../test/regressions/fuzz/', import.meta.url))

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    target: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
const wanted = targets.filter(({ name }) => values.target?.includes(name) ?? true)
if (values.help || !(minutes > 0) || wanted.length === 0) {
  process.stdout.write(HELP)
  process.exit(values.help ? 0 : 2)
}
// Leaves the machine to other work.
setPriority(19)
let found = 0
for (const { name } of wanted) found += await fuzz(name, (minutes * 60) / wanted.length)
process.stdout.write(found === 0 ? 'nothing found\n' : `${found} found: see test/regressions/fuzz/\n`)
process.exitCode = found === 0 ? 0 : 1

/** @returns the number of failing inputs */
function fuzz(target: string, seconds: number): Promise<number> {
  const current = new SharedArrayBuffer(8 + MAXIMUM_INPUT_BYTES)
  const assignment: Assignment = { target, seconds, current }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: assignment })
  let count = 0
  return new Promise((resolve, reject) => {
    const state = new Int32Array(current, 0, 2)
    let before = 0
    const watch = setInterval(() => {
      const now = Atomics.load(state, 0)
      if (now !== 0 && now === before) {
        keep(target, Buffer.from(new Uint8Array(current, 8, state[1])), `not finished after ${PATIENCE_SECONDS} s`)
        count++
        void worker.terminate()
      }
      before = now
    }, PATIENCE_SECONDS * 1000)
    worker.on('message', (report: Report) => {
      if (report.kind === 'found') {
        count++
        keep(target, report.input, report.problem)
      } else {
        const { inputs, corpus, covered } = report
        const speed = Math.round(inputs / seconds)
        const reach = `${corpus} kept, ${covered} characters of source reached`
        process.stdout.write(`${target}: ${inputs} inputs in ${Math.round(seconds)} s (${speed} a second), ${reach}\n`)
      }
    })
    worker.on('error', reject)
    worker.on('exit', () => {
      clearInterval(watch)
      resolve(count)
    })
  })
}

function keep(target: string, input: Uint8Array, problem: string): void {
  const name = createHash('sha256').update(input).digest('hex').slice(0, 12)
  mkdirSync(`${FOUND}${target}`, { recursive: true })
  writeFileSync(`${FOUND}${target}/${name}`, input)
  process.stdout.write(`${target}: FOUND ${name} (${input.length} bytes)\n${problem}\n`)
}
