// `npm run check`: which programs run with which arguments, what counts as passed, and what a release requires.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type Check, EXIT_CANNOT_RUN } from '../../checks/check.ts'
import { CHECKS } from '../../checks/list.ts'
import { cleanCommit, passedChecks, recordPass, releaseRefusal } from '../../checks/passed.ts'
import { requiredOf, runChecks } from '../../checks/runner.ts'
import { temporaryFolder } from '../support/databases.ts'

const CHECK: Check = {
  name: 'first',
  about: 'the first one',
  needs: 'nothing',
  seconds: 100,
  program: ['first.ts', 'fixed'],
  short: { args: ['--few'], seconds: 5 },
  isRequired: true,
}
const FAKES: readonly Check[] = [
  CHECK,
  { ...CHECK, name: 'second', program: ['second.ts'] },
  { name: 'optional', about: 'a third', needs: 'root', seconds: 240, program: ['third.ts'], isRequired: false },
]

function git(root: string, ...args: string[]): void {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...author, ...args], { cwd: root, stdio: 'ignore' })
}

/** A repository with one commit. @param statuses of the programs, by file */
function repository(t: TestContext, statuses: Record<string, number> = {}, isStrict = false) {
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
      checks: FAKES,
      async spawn(command) {
        started.push(command.join(' '))
        return statuses[command[0] as string] ?? 0
      },
      print: (text) => {
        said += text
      },
      now: () => new Date(0),
      isStrict,
    })
  }
  const refusal = () => releaseRefusal(root, requiredOf(FAKES))
  return { root, statuses, started, run, said: () => said, refusal }
}

describe('selection', () => {
  test('nothing without a name: the list, with needs and times', async (t) => {
    const { run, started, said } = repository(t)
    assert.equal(await run(), 0)
    assert.deepEqual(started, [])
    assert.match(said(), /^first \(100 s; --short 5 s\)\n {4}the first one\n/)
    assert.match(said(), /optional \(4 min; not in --all\)\n {4}a third\n {4}needs root\n/)
  })
  test('a check gets its own options, several checks only --short', async (t) => {
    const { run, started } = repository(t)
    assert.equal(await run('second', '--minutes', '5'), 0)
    assert.deepEqual(started, ['second.ts --minutes 5'])
    assert.equal(await run('second', 'first', '--short'), 0)
    assert.deepEqual(started, ['first.ts fixed --few', 'second.ts --few'])
    assert.equal(await run('second', 'first', '--minutes', '5'), 2)
    assert.deepEqual(started, [])
  })
  test("a check's help reports no result", async (t) => {
    const { run, started, said } = repository(t)
    assert.equal(await run('second', '--help'), 0)
    assert.deepEqual(started, ['second.ts --help'])
    assert.equal(said(), '')
  })
  test('--short runs each check that has a short form', async (t) => {
    const { run, started } = repository(t)
    assert.equal(await run('--short'), 0)
    assert.deepEqual(started, ['first.ts fixed --few', 'second.ts --few'])
    assert.equal(await run('optional', '--short'), 2)
    assert.deepEqual(started, [])
  })
  test('an unknown name or option is rejected before anything runs', async (t) => {
    const { run, started, said } = repository(t)
    assert.equal(await run('first', 'third'), 2)
    assert.match(said(), /no check is called third/)
    assert.equal(await run('--minutes', '5'), 2)
    assert.deepEqual(started, [])
  })
})

test('one failure fails the run, and the others still run', async (t) => {
  const { run, started, said } = repository(t, { 'first.ts': 1 })
  assert.equal(await run('first', 'second'), 1)
  assert.deepEqual(started, ['first.ts fixed', 'second.ts'])
  assert.match(said(), /1 of 2 passed\n$/)
})

test('a check that cannot run fails only where everything must run', async (t) => {
  const statuses = { 'first.ts': EXIT_CANNOT_RUN }
  assert.equal(await repository(t, statuses).run('first'), 0)
  assert.equal(await repository(t, statuses, true).run('first'), 1)
})

describe('a release', () => {
  test('is refused until --all has passed', async (t) => {
    const { run, refusal } = repository(t)
    assert.match(refusal() ?? '', /has not passed for [0-9a-f]{7}; missing: first, second$/)
    assert.equal(await run('--all'), 0)
    assert.equal(refusal(), undefined)
  })
  test('is refused when one check has failed or cannot run; --all repeats only that one', async (t) => {
    const { run, started, refusal, statuses } = repository(t, { 'second.ts': EXIT_CANNOT_RUN })
    assert.equal(await run('--all'), 1)
    assert.match(refusal() ?? '', /missing: second$/)
    statuses['second.ts'] = 0
    assert.equal(await run('--all'), 0)
    assert.deepEqual(started, ['second.ts'])
    assert.equal(refusal(), undefined)
  })
  test('does not count a short form or options, but a whole check that ran by its name', async (t) => {
    const { run, refusal } = repository(t)
    await run('--short')
    await run('first', '--minutes', '5')
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
    const environment = { root, checks: FAKES, print: () => {}, now: () => new Date(0), isStrict: false }
    const spawn = async () => {
      writeFileSync(join(root, 'file'), 'new')
      return 0
    }
    assert.equal(await runChecks(['--all'], { ...environment, spawn }), 1)
    execFileSync('rm', [join(root, 'file')])
    assert.match(refusal() ?? '', /missing: first, second$/)
  })
})

test('the record holds passes of one commit, and none without git', (t) => {
  const root = temporaryFolder(t)
  assert.equal(cleanCommit(root), undefined)
  recordPass(root, 'a', 'first', new Date(0))
  recordPass(root, 'a', 'second', new Date(0))
  assert.deepEqual([...passedChecks(root, 'a')], ['first', 'second'])
  recordPass(root, 'b', 'first', new Date(0))
  assert.deepEqual([...passedChecks(root, 'b')], ['first'])
  assert.deepEqual([...passedChecks(root, 'a')], [])
})

test('.ci/run runs every check that has a short form', () => {
  const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8')
  const listed = (name: string) => new RegExp(`^${name}=\\(([^)]*)\\)`, 'm').exec(script)?.[1]?.split(/\s+/) ?? []
  const tests = listed('test_checks')
  const short = CHECKS.filter(({ short }) => short !== undefined).map(({ name }) => name)
  assert.deepEqual(
    tests,
    short.filter((name) => tests.includes(name)),
  )
  assert.deepEqual(
    listed('short_checks'),
    short.filter((name) => !tests.includes(name)),
  )
})

test('every check has a unique name', () => {
  assert.equal(new Set(CHECKS.map(({ name }) => name)).size, CHECKS.length)
})
