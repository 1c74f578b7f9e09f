// The command line of `npm run check`: selects the checks and their form, and interprets their exit statuses.
import { type Check, EXIT_CANNOT_RUN, TIERS, type Tier, type Work } from './check.ts'
import { cleanCommit, passedChecks, recordPass, releaseRefusal } from './passed.ts'
import { runTestFiles, type Spawn } from './test-files.ts'

export interface RunnerEnvironment {
  /** The repository's folder. */
  readonly root: string
  readonly checks: readonly Check[]
  readonly spawn: Spawn
  readonly print: (text: string) => void
  readonly now: () => Date
  /** Whether this machine lacks one of a check's needs, as far as it can be seen beforehand. */
  readonly lacks: (need: string) => boolean
  /** Whether a check that cannot run counts as failed. */
  readonly isStrict: boolean
}

type Outcome = 'passed' | 'failed' | 'cannot run here'
type Outcomes = readonly (readonly [Check, Outcome])[]

/** One run of a check. */
interface Run {
  readonly check: Check
  /** The check itself, or its short form. */
  readonly work: Work
  /** For its program. */
  readonly options?: readonly string[]
  /** Test files in place of its own. */
  readonly only?: readonly string[]
}

/** @returns the exit status */
export async function runChecks(args: readonly string[], environment: RunnerEnvironment): Promise<number> {
  const { checks, print } = environment
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const names = end === -1 ? args : args.slice(0, end)
  const options = end === -1 ? [] : args.slice(end)
  const finish = (status: number, text: string) => {
    print(text)
    return status
  }

  if (args.length === 0) return finish(0, list(checks))
  if (names.length === 0) {
    const [option, value, ...rest] = options
    const tier = option === '--all' && value === undefined ? 'release' : TIERS.find((one) => one === value)
    if (option === '--help' && value === undefined) return finish(0, usage(checks))
    if (tier !== undefined && rest.length === 0) return await runTier(tier, environment)
    if (tier !== undefined && rest.join() === '--names') return finish(0, tierNames(tier, checks))
    return finish(2, `${options.join(' ')} needs the name of a check\n\n${list(checks)}`)
  }
  const wanted = checks.filter(({ name }) => names.includes(name))
  const unknown = names.filter((name) => !wanted.some((check) => check.name === name))
  if (unknown.length > 0) return finish(2, `no check is called ${unknown.join(', ')}\n\n${list(checks)}`)

  const isShort = options[0] === '--short'
  const [option, ...values] = isShort ? options.slice(1) : options
  const runs = wanted.map((check): Run => ({ check, work: (isShort ? check.short : undefined) ?? check }))
  if (option === undefined) return judge(await runEach(runs, environment), environment)
  const [run, ...others] = runs
  if (run === undefined || others.length > 0) return finish(2, 'several checks accept no option but --short\n')
  const { check, work } = run
  if (option === '--only' && 'tests' in work && values.length > 0) {
    return judge(await runEach([{ ...run, only: values }], environment), environment)
  }
  if ('program' in check && check.hasOptions) {
    if (option === '--help') return await environment.spawn([...check.program, option])
    return judge(await runEach([{ ...run, options: [option, ...values] }], environment), environment)
  }
  return option === '--help' ? finish(0, checkUsage(check)) : finish(2, `${check.name} has no option ${option}\n`)
}

/** The commit tier runs the short forms. In the others, checks that have passed for this commit are not repeated. */
async function runTier(tier: Tier, environment: RunnerEnvironment): Promise<number> {
  const { root, print, checks } = environment
  const wanted = checksOf(tier, checks)
  if (tier === 'commit') {
    return judge(
      await runEach(
        wanted.map((check) => ({ check, work: check.short ?? check })),
        environment,
      ),
      environment,
    )
  }
  const commit = cleanCommit(root)
  if (tier === 'release' && commit === undefined) {
    print('a release needs a clean work tree: the result is recorded for the commit\n')
    return 2
  }
  const outcomes: [Check, Outcome][] = []
  for (const check of wanted) {
    const isDone = commit !== undefined && passedChecks(root, commit).has(check.name)
    if (isDone) print(`\n== ${check.name}: already passed for this commit\n`)
    outcomes.push([check, isDone ? 'passed' : await runOne({ check, work: check }, environment)])
  }
  const status = judge(outcomes, environment)
  if (tier !== 'release') return status
  const refusal = releaseRefusal(root, requiredOf(checks))
  if (refusal !== undefined) print(`${refusal}\n`)
  return refusal === undefined ? 0 : 1
}

async function runEach(runs: readonly Run[], environment: RunnerEnvironment): Promise<Outcomes> {
  const outcomes: [Check, Outcome][] = []
  for (const run of runs) outcomes.push([run.check, await runOne(run, environment)])
  return outcomes
}

function judge(outcomes: Outcomes, { print, isStrict }: RunnerEnvironment): number {
  if (outcomes.length > 1) print(summary(outcomes))
  const isGood = (outcome: Outcome) => outcome === 'passed' || (outcome === 'cannot run here' && !isStrict)
  return outcomes.every(([, outcome]) => isGood(outcome)) ? 0 : 1
}

async function runOne({ check, work, options, only }: Run, environment: RunnerEnvironment): Promise<Outcome> {
  const { root, spawn, print, now, lacks } = environment
  const { name, about, needs = '' } = check
  print(`\n== ${name}: ${about}\n`)
  const isWhole = work === check && options === undefined && only === undefined
  const commit = isWhole ? cleanCommit(root) : undefined
  const startedAt = now()
  const missing = needs.split(', ').filter(lacks)
  if (missing.length > 0) print(`it needs ${missing.join(', ')}\n`)
  const run = () =>
    'tests' in work ? runTestFiles(work, only ?? [], spawn) : spawn([...work.program, ...(options ?? [])])
  const status = missing.length > 0 ? EXIT_CANNOT_RUN : await run()
  const outcome = status === 0 ? 'passed' : status === EXIT_CANNOT_RUN ? 'cannot run here' : 'failed'
  print(`== ${name}: ${outcome} (${Math.round((now().getTime() - startedAt.getTime()) / 1000)} s)\n`)
  if (outcome === 'passed' && commit !== undefined && cleanCommit(root) === commit) {
    recordPass(root, commit, name, now())
  }
  return outcome
}

/** What a release requires. */
export function requiredOf(checks: readonly Check[]): readonly string[] {
  return checksOf('release', checks).map(({ name }) => name)
}

function checksOf(tier: Tier, checks: readonly Check[]): readonly Check[] {
  const tiers = TIERS.slice(0, TIERS.indexOf(tier) + 1)
  return checks.filter((check) => check.tier !== undefined && tiers.includes(check.tier))
}

/** For scripts: a line per check, with `tests` or `program` before its name. */
function tierNames(tier: Tier, checks: readonly Check[]): string {
  return checksOf(tier, checks)
    .map((check) => `${'tests' in check ? 'tests' : 'program'} ${check.name}\n`)
    .join('')
}

function usage(checks: readonly Check[]): string {
  return `Usage: npm run check
       npm run check -- NAME … [--short]
       npm run check -- NAME [options of that check]
       npm run check -- NAME [--short] --only FILE …
       npm run check -- --tier commit | nightly | release [--names]
       npm run check -- --all | --help

Without a name it lists the checks. --tier runs those of a tier and the tiers
before it: \`commit\` in their short forms, the others whole. Whole checks that
have passed for the commit are recorded in .checks.json, and not repeated by
--tier, so it may be interrupted. --all is --tier release: \`npm run release\`
refuses without it. --only runs some of a check's test files, --names prints the
names of a tier. A check that cannot run on this machine ends with status 77;
with REQUIRE_ALL=1 it counts as failed.

Examples:
  npm run check -- overload rolling-stop --short
  npm run check -- soak --minutes 5
  npm run check -- soak --help

${list(checks)}`
}

function checkUsage({ name, about, needs, short }: Check): string {
  const command = `npm run check -- ${name}`
  const paragraph = [about, ...(needs === undefined ? [] : [`Needs ${needs}.`])].join('. ')
  return `Usage: ${command}${short === undefined ? '' : ' [--short]'}

${paragraph.replace(/(.{1,79})(?: |$)/g, '$1\n')}
Example:
  ${command}
`
}

function list(checks: readonly Check[]): string {
  const ofTier = (tier: Tier | undefined) =>
    checks
      .filter((check) => check.tier === tier)
      .map(
        ({ name, about, needs, seconds, short }) =>
          `${name} (${duration(seconds)}${short ? `; --short ${duration(short.seconds)}` : ''})\n` +
          `${wrapped(about)}${needs === undefined ? '' : wrapped(`needs ${needs}`)}`,
      )
      .join('')
  const sum = (tier: Tier, of: (check: Check) => number) =>
    duration(checksOf(tier, checks).reduce((all, check) => all + of(check), 0))
  const short = sum('commit', (check) => (check.short ?? check).seconds)
  const nightly = sum('nightly', ({ seconds }) => seconds)
  const release = sum('release', ({ seconds }) => seconds)
  const byName = ofTier(undefined)
  return `--tier commit (${short}):\n\n${ofTier('commit')}
--tier nightly (${nightly}), in addition:\n\n${ofTier('nightly')}
--tier release, or --all (${release}), in addition:\n\n${ofTier('release')}${byName && `\nby name only:\n\n${byName}`}`
}

function wrapped(text: string): string {
  return Array.from(text.matchAll(/(.{1,74})(?: |$)/g), ([, line]) => `    ${line}\n`).join('')
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

function summary(outcomes: Outcomes): string {
  const lines = outcomes.map(([{ name }, outcome]) => `  ${name.padEnd(18)}${outcome}\n`)
  const passed = outcomes.filter(([, outcome]) => outcome === 'passed').length
  return `\n${lines.join('')}${passed} of ${outcomes.length} passed\n`
}
