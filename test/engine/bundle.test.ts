// The engine as bundled in its image, in plain JavaScript: that it is complete with its threads and what it loads later, and
// its memory and CPU time. The bounds are for a busy machine; docs/performance.md has the figures.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SECRET } from '../support/payloads.ts'
import { cpuSeconds, nodeSeconds, residentBytes } from '../support/processes.ts'
import { rule } from '../support/rules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { startEngine } from './monitoring/engine-process.ts'

const folder = temporaryFolder({ after })
const program = join(folder, 'main.js')

const RULES = `
[[lists]]
name = "trackers"
path = "list.txt"
${rule('trackers', 'block', 'lists = ["trackers"]')}
${rule('news', 'warn')}
`
const files = { 'list.txt': 'first.example\n' }

before(() => {
  // As in the image: without it Node reads each file twice to detect its module type.
  writeFileSync(join(folder, 'package.json'), readFileSync('package.json'))
  execFileSync(process.execPath, ['scripts/bundle.ts', folder, 'engine'], { timeout: 30_000 })
})

test('starts in the CPU time of 33 starts of Node, and in 145 MB; decides by lists, reads them again, keeps sessions, and has metrics', {
  timeout: 30_000,
}, async (t) => {
  const engine = await startEngine(t, RULES, { files, program })
  await engine.listening()
  // What a process uses.
  if (existsSync('/proc/self/stat')) {
    const pid = engine.child.pid as number
    const [used, bytes] = [cpuSeconds(pid), residentBytes(pid)]
    const alone = nodeSeconds()
    t.diagnostic(
      `${Math.round(bytes / 1e6)} MB, ${Math.round(used * 1000)} ms, Node alone ${Math.round(alone * 1000)} ms`,
    )
    assert.ok(bytes < 145e6, `${bytes} bytes`)
    assert.ok(used < 33 * alone, `${used} s`)
  }
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

test('--check and --version', (t) => {
  const own = temporaryFolder(t)
  const secret = join(own, 'secret')
  writeFileSync(secret, SECRET)
  const run = (...words: readonly string[]) => execFileSync(process.execPath, [program, ...words], { encoding: 'utf8' })
  const files = ['--config', 'src/engine/sample-policy.toml', '--secret-file', secret, '--api-token-file', secret]
  const checked = run(...files, '--publish', own, '--listen', '127.0.0.1:0', '--check')
  assert.match(checked, /: no problems; rules: \d+, lists: 0, names: 0\n$/)
  assert.match(run('--version'), /^\d{4}\.\d+\.\d+\n$/)
})
