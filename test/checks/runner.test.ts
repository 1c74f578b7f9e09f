// `npm run check`: which programs run with which arguments, what counts as passed, and what a release requires.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type Check, EXIT_CANNOT_RUN } from '../../checks/check.ts'
import { CHECKS } from '../../checks/list.ts'
import { releaseRefusal } from '../../checks/passed.ts'
import { requiredOf, runChecks } from '../../checks/runner.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FAKES: readonly Check[] = [
  {
    name: 'first',
    tier: 'commit',
    about: 'the first one',
    seconds: 100,
    program: ['first.ts', 'fixed'],
    short: { program: ['first.ts', '--few'], seconds: 5 },
  },
  {
    name: 'second',
    tier: 'nightly',
    about: 'the second one',
    seconds: 110,
    program: ['second.ts'],
    hasOptions: true,
    short: { program: ['second.ts', '--few'], seconds: 5 },
  },
  { name: 'by-name', about: 'a third', needs: 'a moon', seconds: 240, program: ['third.ts'] },
]
const FILES: Check = {
  name: 'files',
  tier: 'commit',
  about: 'test files',
  seconds: 10,
  tests: ['a.test.ts', 'b.test.ts'],
  environment: { BROWSER: 'whole' },
  short: { tests: ['a.test.ts'], environment: { BROWSER: 'short' }, seconds: 5 },
}

function git(root: string, ...args: string[]): void {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...author, ...args], { cwd: root, stdio: 'ignore' })
}

/** A repository with one commit. @param statuses of the programs, by file */
function repository(t: TestContext, statuses: Record<string, number> = {}, isStrict = false, checks = FAKES) {
  const root = temporaryFolder(t)
  git(root, 'init')
  writeFileSync(join(root, '.gitignore'), '/.checks.json\n')
  git(root, 'add', '.')
  git(root, 'commit', '-m', 'test: A commit')
  const started: string[] = []
  let said = ''
  const run = async (...words: string[]) => {
    started.length = 0
    said = ''
    return await runChecks(words, {
      root,
      checks,
      async spawn(command, variables = {}) {
        started.push([...Object.entries(variables).map((pair) => pair.join('=')), ...command].join(' '))
        return statuses[command[0] as string] ?? 0
      },
      print: (text) => {
        said += text
      },
      now: () => new Date(0),
      lacks: (need) => need === 'a moon',
      isStrict,
    })
  }
  const refusal = () => releaseRefusal(root, requiredOf(FAKES))
  return { root, statuses, started, run, said: () => said, refusal }
}

test('nothing runs without a name: the list by tiers, with needs and times', async (t) => {
  const { run, started, said } = repository(t)
  assert.equal(await run(), 0)
  assert.deepEqual(started, [])
  assert.match(said(), /^--tier commit \(5 s\):\n\nfirst \(100 s; --short 5 s\)\n {4}the first one\n/)
  assert.match(said(), /^by name only:\n\nby-name \(4 min\)\n {4}a third\n {4}needs a moon\n/m)
})

test('what runs by name, by tier and with which options; misuse starts nothing', async (t) => {
  const { run, started } = repository(t)
  for (const [line, status, programs] of [
    ['second --minutes 5', 0, ['second.ts --minutes 5']],
    ['second first --short', 0, ['first.ts --few', 'second.ts --few']],
    ['second first --minutes 5', 2, []],
    ['first --minutes 5', 2, []],
    ['second --help', 0, ['second.ts --help']],
    ['first --help', 0, []],
    // Short forms in the commit tier; in a later one, the whole checks of those before, too.
    ['--tier commit', 0, ['first.ts --few']],
    ['--tier nightly', 0, ['first.ts fixed', 'second.ts']],
    ['--tier commit --names', 0, []],
    ['--tier weekly', 2, []],
    ['first third', 2, []],
    ['--minutes 5', 2, []],
  ] as const) {
    assert.equal(await run(...line.split(' ')), status, line)
    assert.deepEqual(started, programs, line)
  }
})

test('test files run with the variables of their form, skipped tests fail, and --only runs some of them', async (t) => {
  const { run, started } = repository(t, {}, false, [FILES])
  const command = (concurrency: number) =>
    `scripts/run.mjs --test --test-reporter=spec --test-concurrency=${concurrency} --test-timeout=500000`
  await run('files')
  assert.deepEqual(started, [`BROWSER=whole REQUIRE_ALL=1 ${command(2)} a.test.ts b.test.ts`])
  await run('files', '--short', '--only', 'b.test.ts')
  assert.deepEqual(started, [`BROWSER=short REQUIRE_ALL=1 ${command(1)} b.test.ts`])
})

test('one failure fails the run, and the others still run', async (t) => {
  const { run, started, said } = repository(t, { 'first.ts': 1 })
  assert.equal(await run('first', 'second'), 1)
  assert.deepEqual(started, ['first.ts fixed', 'second.ts'])
  assert.match(said(), /1 of 2 passed\n$/)
})

test('a check that cannot run fails only where everything must run; one whose needs are missing does not start', async (t) => {
  const statuses = { 'first.ts': EXIT_CANNOT_RUN }
  assert.equal(await repository(t, statuses).run('first'), 0)
  assert.equal(await repository(t, statuses, true).run('first'), 1)
  const { run, started, said } = repository(t, {}, true)
  assert.equal(await run('by-name'), 1)
  assert.match(said(), /it needs a moon\n== by-name: cannot run here/)
  assert.deepEqual(started, [])
})

describe('a release', () => {
  test('is refused until --all has passed; --all repeats only what has not', async (t) => {
    const { run, started, refusal, statuses } = repository(t, { 'second.ts': EXIT_CANNOT_RUN })
    assert.match(refusal() ?? '', /has not passed for [0-9a-f]{7}; missing: first, second$/)
    assert.equal(await run('--all'), 1)
    assert.match(refusal() ?? '', /missing: second$/)
    statuses['second.ts'] = 0
    assert.equal(await run('--all'), 0)
    assert.deepEqual(started, ['second.ts'])
    assert.equal(refusal(), undefined)
  })
  test('does not count a short form or options, but a whole check that ran by its name', async (t) => {
    const { run, refusal } = repository(t)
    await run('--tier', 'commit')
    await run('second', '--minutes', '5')
    assert.match(refusal() ?? '', /missing: first, second$/)
    await run('first')
    assert.match(refusal() ?? '', /missing: second$/)
  })
  test('is refused for another commit, and with uncommitted changes', async (t) => {
    const { root, run, refusal, started } = repository(t)
    await run('--all')
    writeFileSync(join(root, 'file'), 'new')
    assert.match(refusal() ?? '', /uncommitted changes/)
    assert.equal(await run('--all'), 2)
    assert.deepEqual(started, [])
    git(root, 'add', '.')
    git(root, 'commit', '-m', 'test: Another')
    assert.match(refusal() ?? '', /missing: first, second$/)
  })
  test('does not count a check during which the work tree changed', async (t) => {
    const { root, refusal } = repository(t)
    const environment = {
      ...{ root, checks: FAKES, print: () => {}, now: () => new Date(0), isStrict: false },
      lacks: () => false,
    }
    const spawn = async () => {
      writeFileSync(join(root, 'file'), 'new')
      return 0
    }
    assert.equal(await runChecks(['--all'], { ...environment, spawn }), 1)
    rmSync(join(root, 'file'))
    assert.match(refusal() ?? '', /missing: first, second$/)
  })
})

test('.ci/run runs the checks of the commit tier, each of which has a name of its own', () => {
  const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8')
  assert.match(script, /^names=\$\(npm run --silent check -- --tier commit --names\) \|\| exit 1$/m)
  assert.equal(new Set(CHECKS.map(({ name }) => name)).size, CHECKS.length)
})
