// `npm run check -- mutations`: makes one-line faults in the places where a gateway opens, one at a time, and requires that the
// tests named for each notice it. It measures the tests: what nobody notices has no test.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FAULTS } from './faults/faults.ts'
import { type Mutation, mutated } from './mutation.ts'
import { copyRepository, type RepositoryCopy } from './repository-copy.ts'
import { runTests } from './run-tests.ts'

const HELP = `Usage: npm run check -- mutations [--only TEXT]

Makes one-line faults in a copy of the repository, one at a time: in the policy,
ICAP, squid.conf, sealing, sessions, the ledger, certificates. Each must be
noticed by one of the tests that checks/mutations/faults/ names for it.

  --only TEXT  only faults whose file, or description, has this text
  --help       this text

Example:
  npm run check -- mutations --only squid.conf
`
const WORKERS = 2
const root = fileURLToPath(new URL('../../', import.meta.url))
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
process.exitCode = values.help ? print(HELP) : await check(values.only)

async function check(only: string): Promise<number> {
  const mutations = FAULTS.filter(({ file, opens }) => file.includes(only) || opens.includes(only))
  if (mutations.length === 0) return print(`no fault has the text ${only}\n`, 2)
  const outdated = mutations.flatMap(outdatedText)
  if (outdated.length > 0) return print(`${outdated.join('\n\n')}\n`, 1)
  const copies = Array.from({ length: WORKERS }, () => copyRepository(root))
  try {
    return await run(mutations, copies)
  } finally {
    for (const copy of copies) copy.remove()
  }
}

async function run(mutations: readonly Mutation[], copies: readonly RepositoryCopy[]): Promise<number> {
  const { signal } = interruption
  const files = [...new Set(mutations.flatMap(({ tests }) => tests))]
  print(`without a fault: ${files.length} files of tests\n`)
  const [first] = copies as [RepositoryCopy]
  const clean = await runTests(first.folder, files, WORKERS, signal)
  if (clean.failure !== undefined) {
    return print(`${clean.output}\nwithout a fault, these tests must pass; failed: ${clean.failure}\n`, 1)
  }

  const unnoticed: Mutation[] = []
  const queue = [...mutations]
  const work = async (copy: RepositoryCopy) => {
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
      const mutation = next
      const startedAt = performance.now()
      const { file, opens, tests } = mutation
      const { failure } = await copy.withMutation(mutation, () => runTests(copy.folder, tests, 1, signal))
      if (signal.aborted) return
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      if (failure === undefined) unnoticed.push(mutation)
      print(`${file}: ${opens}\n  ${failure === undefined ? 'NOT NOTICED' : `noticed by: ${failure}`} (${seconds} s)\n`)
    }
  }
  await Promise.all(copies.map(work))
  if (signal.aborted) return 1
  for (const { file, opens, find, replace, tests } of unnoticed) {
    print(`\n${file}: ${opens}\n- ${find}\n+ ${replace}\nnoticed by none of ${tests.join(', ')}\n`)
  }
  const status = unnoticed.length === 0 ? 0 : 1
  return print(`\n${mutations.length - unnoticed.length} of ${mutations.length} faults noticed\n`, status)
}

function outdatedText(mutation: Mutation): readonly string[] {
  try {
    mutated(readFileSync(join(root, mutation.file), 'utf8'), mutation)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function print(text: string, status = 0): number {
  process.stdout.write(text)
  return status
}
