// The engine as bundled in its image, in plain JavaScript: that it is complete with its threads and what it loads later, and
// its memory and CPU time. The bounds are for a busy machine; docs/performance.md has the figures.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SECRET } from '../support/payloads.ts'
import { cpuSeconds, residentBytes } from '../support/processes.ts'
import { skipUnless } from '../support/requirement.ts'
import { rule } from '../support/rules.ts'
import { until } from '../support/until.ts'
import { startEngine } from './monitoring/engine-process.ts'

const skip = skipUnless(existsSync('/proc/self/stat'), 'needs /proc, which reports what a process uses')
const folder = mkdtempSync(join(tmpdir(), 'engine-bundle-'))
const program = join(folder, 'main.js')

const RULES = `
[[lists]]
name = "trackers"
path = "list.txt"
${rule('trackers', 'block', 'lists = ["trackers"]')}
${rule('news', 'warn', 'match = ["news.example"]')}
`
const files = { 'list.txt': 'first.example\n' }

before(() => {
  // As in the image: without it Node reads each file twice to detect its module type.
  writeFileSync(join(folder, 'package.json'), readFileSync('package.json'))
  execFileSync(process.execPath, ['scripts/bundle.ts', folder, 'engine'], { timeout: 30_000 })
})
after(() => rmSync(folder, { recursive: true }))

test('decides by lists, reads them again, keeps sessions, and has metrics', { timeout: 30_000 }, async (t) => {
  const engine = await startEngine(t, RULES, { files, program })
  assert.equal((await engine.decide('https://first.example/')).verdict, 'block')
  engine.write('list.txt', 'first.example\nsecond.example\n')
  await until(async () => (await engine.decide('https://second.example/')).verdict === 'block', 10)
  const { redirect } = await engine.decide('https://news.example/')
  assert.equal((await engine.acknowledge(redirect)).status, 302)
  assert.equal((await engine.decide('https://news.example/')).verdict, 'allow')
  assert.equal((await engine.metric('engine_list_entries')).get('list="trackers"'), 2)
  engine.child.kill('SIGTERM')
  assert.equal(await engine.ended, 0)
})

test('--check and --version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-check-'))
  const run = (...words: readonly string[]) => execFileSync(process.execPath, [program, ...words], { encoding: 'utf8' })
  try {
    writeFileSync(join(folder, 'secret'), SECRET)
    const secrets = ['--secret-file', join(folder, 'secret'), '--api-token-file', join(folder, 'secret')]
    const options = [
      '--config',
      'src/engine/sample-policy.toml',
      ...secrets,
      '--publish',
      folder,
      '--listen',
      '127.0.0.1:0',
    ]
    assert.match(run(...options, '--check'), /: no problems; rules: \d+, lists: 0, names: 0\n$/)
    assert.match(run('--version'), /^\d{4}\.\d+\.\d+\n$/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('less than 130 MB without load, and less than 0.8 s of CPU time to start', {
  skip,
  timeout: 30_000,
}, async (t) => {
  const engine = await startEngine(t, RULES, { files, program, ops: 'listen = ""' })
  await engine.listening()
  const pid = engine.child.pid as number
  const used = cpuSeconds(pid)
  t.diagnostic(`${Math.round(residentBytes(pid) / 1e6)} MB, ${Math.round(used * 1000)} ms`)
  assert.ok(residentBytes(pid) < 130e6, `${residentBytes(pid)} bytes`)
  assert.ok(used < 0.8, `${used} s`)
})
