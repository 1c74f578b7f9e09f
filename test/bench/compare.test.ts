// The comparison of two checkouts: its command line, the base, and what counts as worse.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { baseCheckout } from '../../bench/base-checkout.ts'
import { COMPARED, readCompareOptions } from '../../bench/compare-options.ts'
import { compareReport } from '../../bench/compare-report.ts'
import type { Run } from '../../bench/contenders.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const RUN: Run = {
  responses: 1000,
  rate: 1000,
  p50: 1,
  p99: 2,
  p999: 3,
  bytes: 11_000,
  cpu: 50,
  cpuOfEach: [50],
  busy: 1,
  residentBytes: 120e6,
}
/** 4 % noise common to both sides of a pair, and 1 % independent noise. */
const runs = (factor: number, count = 24): Run[] =>
  Array.from({ length: count }, (_, index) => {
    const rate = 1000 * factor * (1 + (index % 5) / 100) * (1 + (((index * factor * 7) | 0) % 3) / 100)
    return { ...RUN, rate, cpu: 5e4 / rate }
  })

function compared(factor: number, count = 24) {
  return compareReport({
    loads: [{ name: 'aup', base: runs(1, count), current: runs(factor, count), limit: runs(2, count) }],
    figures: [],
  })
}

test('a ratio is worse when its whole interval lies below 95 % of the base', () => {
  assert.equal(compared(1).isWorse, false)
  assert.match(compared(1).text, /\| aup \| 100\.0 % \(.*\) \| not worse \|/)
  assert.equal(compared(1.2).isWorse, false)
  assert.equal(compared(0.9).isWorse, true)
  assert.match(compared(0.9).text, /\| \*\*worse\*\* \|.*\*\*worse\*\*/)
})

test('an interval that straddles 95 % is open, and too few pairs give no verdict', () => {
  const figures = (current: readonly number[]) =>
    compareReport({ loads: [], figures: [{ name: 'readiness', unit: 'ms', base: current.map(() => 400), current }] })
  const straddling = figures(Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 400 : 440)))
  assert.match(straddling.text, /\| readiness \| 400 ms .* \| open \|/)
  assert.equal(straddling.isWorse, false)
  const slower = Array.from({ length: 24 }, () => 440)
  assert.equal(figures(slower).isWorse, true, 'for a figure that should be small')
  assert.equal(figures(slower.slice(1)).isWorse, false)
  assert.equal(compared(0.5, 23).isWorse, false)
})

test('both shares of the limit are shown', () => {
  assert.match(compared(1).text, /\| 50 % \(.*\) \| 50 % \(.*\) \|\n$/)
})

test('the command line', () => {
  assert.deepEqual(readCompareOptions(['--base', 'main', '--scenario', 'aup', '--seconds', '0.5']), {
    base: 'main',
    scenarios: ['aup'],
    rounds: 24,
    seconds: 0.5,
    output: undefined,
  })
  assert.deepEqual(readCompareOptions(['--base', 'main'])?.scenarios, COMPARED)
  assert.equal(readCompareOptions(['--help']), undefined)
  const refused = (words: readonly string[], message: RegExp) =>
    assert.throws(() => readCompareOptions(words), { message })
  refused([], /--base is missing/)
  refused(['--base', 'main', '--scenario', 'ca'], /--scenario must be one of blocked, .*, not ca/)
  refused(['--base', 'main', '--rounds', '0'], /--rounds must be a whole number/)
  refused(['--base', 'main', '--seconds', 'x'], /--seconds/)
})

/** A repository with one tagged commit and later changes. */
function repository(t: TestContext) {
  const root = join(temporaryFolder(t), 'repository')
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], { cwd: root })
  git('init', '--quiet')
  writeFileSync(join(root, '.gitignore'), 'node_modules\n')
  const write = (version: string, dependency: string) => {
    const own = { version, dependencies: {} }
    const packages = { '': own, 'node_modules/one': { version: dependency } }
    writeFileSync(join(root, 'package.json'), JSON.stringify(own))
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ version, packages }))
  }
  write('1.0.0', '7')
  git('add', '.')
  git('commit', '--quiet', '-m', 'test: A commit')
  git('tag', 'v1')
  write('2.0.0', '7')
  const work = join(root, '..', 'work')
  mkdirSync(work)
  return { root, work, write }
}

test('a base is a revision, unpacked with the dependencies of this checkout', (t) => {
  const { root, work } = repository(t)
  const folder = baseCheckout(root, 'v1', work)
  assert.equal(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version, '1.0.0')
  assert.equal(realpathSync(join(folder, 'node_modules')), realpathSync(join(root, 'node_modules')))
  assert.ok(!existsSync(join(root, 'base')))
})

test('a base is a folder with its own dependencies', (t) => {
  const { root, work } = repository(t)
  assert.equal(baseCheckout(work, root, work), root)
  rmSync(join(root, 'node_modules'), { recursive: true })
  assert.throws(() => baseCheckout(work, root, work), /has no node_modules/)
})

test('an invalid base is rejected', (t) => {
  const { root, work, write } = repository(t)
  assert.throws(() => baseCheckout(root, 'v9', work), /v9 is neither a revision of this repository nor a folder/)
  write('2.0.0', '8')
  assert.throws(() => baseCheckout(root, 'v1', work), /v1 has other dependencies/)
})
