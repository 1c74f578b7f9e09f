import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Run } from '../../bench/contenders.ts'
import { listedName, writeList } from '../../bench/engine/list.ts'
import { icapName } from '../../bench/engine/requests.ts'
import type { ListResult, Reload } from '../../bench/engine/result.ts'
import { report } from '../../bench/report.ts'
import type { Results } from '../../bench/results.ts'
import { targetRows } from '../../bench/targets.ts'
import { createHashKey } from '../../src/engine/policy/lists/name-hash.ts'
import { readList } from '../../src/engine/policy/lists/read-list.ts'

const MIB = 2 ** 20

/** Six processes with four reloads each: 24 values. */
function list(names: number, reload: Reload, start: number, stopped = 130): ListResult {
  const reloads = Array.from({ length: 4 }, () => reload)
  const cpu = { allowed: 52.5, stopped }
  const processes = Array.from({ length: 6 }, () => ({ atStart: 100 * MIB, longest: 4, reloads, cpu }))
  return { names, starts: Array.from({ length: 24 }, () => start), processes }
}

const twentyFour = (value: number) => Array.from({ length: 24 }, () => value)
const EMPTY = list(1, { inForce: 90, longest: 5, before: 110 * MIB, peak: 120 * MIB, after: 110 * MIB }, 700)
const MILLION = list(
  1_000_000,
  { inForce: 600, longest: 21, before: 130 * MIB, peak: 182 * MIB, after: 125 * MIB },
  1010,
)
const MORE = list(5_000_000, { ...(MILLION.processes[0]?.reloads[0] as Reload), after: 185 * MIB }, 2000, 140)
const calls = (name: string, cpu: number) => {
  const run: Run = {
    responses: 1000,
    rate: 9000,
    p50: 1,
    p99: 2,
    p999: 3,
    bytes: 100,
    cpu,
    cpuOfEach: [cpu],
    busy: 1,
    residentBytes: 100 * MIB,
  }
  return { name, bytesAtRest: 100 * MIB, runs: twentyFour(0).map(() => run), pacedRuns: [] }
}
const RESULTS: Results = {
  scenarios: [
    {
      scenario: { name: 'engine', title: 'the engine' },
      contenders: [calls('allowed', 60), calls(icapName('allowed'), 12), calls(icapName('stopped'), 90)],
      pairs: [],
    },
  ],
  starts: [],
  engine: { lists: [EMPTY, MILLION, MORE] },
  gateway: undefined,
  notes: [],
}

function row(text: string) {
  const found = targetRows(RESULTS).find(({ target }) => target.includes(text))
  assert.ok(found !== undefined, text)
  return [found.reached, found.verdict]
}

test('each target of the engine is met or missed by the figures with a million names', () => {
  assert.deepEqual(row('an allowed request'), ['12.0 µs (12.0–12.0)', 'met'])
  assert.deepEqual(row('sealed payload'), ['90.0 µs (90.0–90.0)', 'missed'])
  assert.deepEqual(row('JSON call'), ['9,000 (9,000–9,000)', 'met'])
  assert.deepEqual(row('right verdicts'), ['1010 ms (1010–1010)', 'missed'])
  assert.deepEqual(row('above the empty engine'), ['15.0 MiB (15.0–15.0)', 'met'])
  assert.deepEqual(row('times the memory before'), ['1.40 (1.40–1.40)', 'met'])
  assert.deepEqual(row('in force'), ['600 ms (600–600)', 'missed'])
  assert.deepEqual(row('held'), [
    '21.00 ms (21.00–21.00), at most 21.00 ms; without a reload 4.00 ms (4.00–4.00)',
    'missed',
  ])
})

test('the report has a row for each list', () => {
  const text = report(RESULTS)
  assert.match(
    text,
    /\| 1 \| 700 ms \| 100\.0 MiB \| 110\.0 MiB \| 110\.0 MiB \| {2}\| 120\.0 MiB \| 1\.09 \| 90 ms \|/,
  )
  assert.match(text, /\| 1,000,000 \| 1010 ms \| 100\.0 MiB \| 125\.0 MiB \| 125\.0 MiB \| 15\.0 MiB \|/)
  assert.match(text, /\| 5,000,000 \| .* \| 15\.0 MiB \|.*\| 52\.5 µs, 140\.0 µs \|$/m)
})

test('a list is the same in every run, and the engine accepts each of its names', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'list-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeList(join(folder, 'list.txt'), 25_000)
  const list = readList(join(folder, 'list.txt'), 'auto', createHashKey(), 25_000)
  assert.ok('table' in list)
  assert.equal(list.invalid, 0)
  assert.equal(list.table.hashes.byteLength / 8, 25_000)
  assert.equal(listedName(7), listedName(7))
})
