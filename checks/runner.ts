// The command line of `npm run check`: selects the checks and their form, and interprets their exit statuses.
import { type Check, EXIT_CANNOT_RUN } from './check.ts'
import { cleanCommit, passedChecks, recordPass, releaseRefusal } from './passed.ts'

export interface RunnerEnvironment {
  /** The repository's folder. */
  readonly root: string
  readonly checks: readonly Check[]
  /** Runs a program of the repository. @returns its exit status */
  readonly spawn: (args: readonly string[]) => Promise<number>
  readonly print: (text: string) => void
  readonly now: () => Date
  /** Whether a check that cannot run counts as failed. */
  readonly isStrict: boolean
}

type Outcome = 'passed' | 'failed' | 'cannot run here'
type Outcomes = readonly (readonly [Check, Outcome])[]

/** @returns the exit status */
export async function runChecks(args: readonly string[], environment: RunnerEnvironment): Promise<number> {
  const { checks, print } = environment
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const names = end === -1 ? args : args.slice(0, end)
  const options = end === -1 ? [] : args.slice(end)
  const option = options.length === 1 ? options[0] : undefined
  const finish = (status: number, text: string) => {
    print(text)
    return status
  }

  if (args.length === 0) return finish(0, list(checks))
  if (names.length === 0) {
    if (option === '--help') return finish(0, usage(checks))
    if (option === '--all') return await runAll(environment)
    if (option === '--short') return await runEach(checks.filter(({ short }) => short !== undefined))
    return finish(2, `${options.join(' ')} needs the name of a check\n\n${list(checks)}`)
  }
  const wanted = checks.filter(({ name }) => names.includes(name))
  const unknown = names.filter((name) => !wanted.some((check) => check.name === name))
  if (unknown.length > 0) return finish(2, `no check is called ${unknown.join(', ')}\n\n${list(checks)}`)
  if (wanted.length > 1 && options.length > 0 && option !== '--short') {
    return finish(2, 'several checks accept no option but --short\n')
  }
  const [check] = wanted
  if (check !== undefined && option === '--help') return await environment.spawn([...check.program, option])
  const long = wanted.filter(({ short }) => option === '--short' && short === undefined)
  if (long.length > 0) return finish(2, `${long.map(({ name }) => name).join(', ')}: there is no short form\n`)
  return await runEach(wanted)

  async function runEach(some: readonly Check[]): Promise<number> {
    const outcomes: [Check, Outcome][] = []
    for (const check of some) {
      const args = option === '--short' ? (check.short?.args ?? []) : options
      outcomes.push([check, await run(check, args, environment, options.length === 0)])
    }
    if (outcomes.length > 1) print(summary(outcomes))
    const isGood = (outcome: Outcome) =>
      outcome === 'passed' || (outcome === 'cannot run here' && !environment.isStrict)
    return outcomes.every(([, outcome]) => isGood(outcome)) ? 0 : 1
  }
}

/** Checks that have passed for this commit are not repeated, so an interrupted run can continue. */
async function runAll(environment: RunnerEnvironment): Promise<number> {
  const { root, print } = environment
  const commit = cleanCommit(root)
  if (commit === undefined) {
    print('--all needs a clean work tree: its result is recorded for the commit\n')
    return 2
  }
  const outcomes: [Check, Outcome][] = []
  for (const check of environment.checks.filter(({ isRequired }) => isRequired)) {
    const isDone = passedChecks(root, commit).has(check.name)
    if (isDone) print(`\n== ${check.name}: already passed for this commit\n`)
    outcomes.push([check, isDone ? 'passed' : await run(check, [], environment, true)])
  }
  print(summary(outcomes))
  const refusal = releaseRefusal(root, requiredOf(environment.checks))
  if (refusal !== undefined) print(`${refusal}\n`)
  return refusal === undefined ? 0 : 1
}

async function run(
  { name, about, program }: Check,
  args: readonly string[],
  { root, spawn, print, now }: RunnerEnvironment,
  isWhole: boolean,
): Promise<Outcome> {
  print(`\n== ${name}: ${about}\n`)
  const commit = isWhole ? cleanCommit(root) : undefined
  const startedAt = now()
  const status = await spawn([...program, ...args])
  const outcome = status === 0 ? 'passed' : status === EXIT_CANNOT_RUN ? 'cannot run here' : 'failed'
  print(`== ${name}: ${outcome} (${Math.round((now().getTime() - startedAt.getTime()) / 1000)} s)\n`)
  if (outcome === 'passed' && commit !== undefined && cleanCommit(root) === commit) {
    recordPass(root, commit, name, now())
  }
  return outcome
}

export function requiredOf(checks: readonly Check[]): readonly string[] {
  return checks.filter(({ isRequired }) => isRequired).map(({ name }) => name)
}

function usage(checks: readonly Check[]): string {
  return `Usage: npm run check
       npm run check -- NAME [options of that check]
       npm run check -- NAME … [--short]
       npm run check -- --all | --short | --help

Without a name it lists the checks. --all runs all that a release requires, and
records in .checks.json which ones have passed for this commit; \`npm run
release\` refuses without them. It runs only those that have not passed for the
commit yet, so it may be interrupted. --short runs the short form of those that
have one. A check that cannot run on this machine ends with status 77; with
REQUIRE_ALL=1 it counts as failed.

Examples:
  npm run check -- overload rolling-stop --short
  npm run check -- soak --minutes 5
  npm run check -- soak --help

${list(checks)}`
}

function list(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name, about, needs, seconds, short, isRequired }) => [
    `${name} (${duration(seconds)}${short ? `; --short ${duration(short.seconds)}` : ''}${isRequired ? '' : '; not in --all'})`,
    ...wrapped(about),
    ...(needs === 'nothing' ? [] : wrapped(`needs ${needs}`)),
  ])
  const total = checks.filter(({ isRequired }) => isRequired).reduce((sum, { seconds }) => sum + seconds, 0)
  const short = checks.reduce((sum, one) => sum + (one.short?.seconds ?? 0), 0)
  return `${lines.join('\n')}\n\n--all takes ${duration(total)}, --short ${duration(short)}.\n`
}

function wrapped(text: string): string[] {
  return [...text.matchAll(/(.{1,74})(?: |$)/g)].map(([, line]) => `    ${line}`)
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

function summary(outcomes: Outcomes): string {
  const lines = outcomes.map(([{ name }, outcome]) => `  ${name.padEnd(18)}${outcome}\n`)
  const passed = outcomes.filter(([, outcome]) => outcome === 'passed').length
  return `\n${lines.join('')}${passed} of ${outcomes.length} passed\n`
}
