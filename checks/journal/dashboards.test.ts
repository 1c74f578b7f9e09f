// The dashboard of the engine and the alert rules in Debian's Prometheus, which scrapes a real engine that decides: each query of
// a panel returns data, and each rule can be evaluated.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { startEngine } from '../../test/engine/monitoring/engine-process.ts'
import type { Cleanup } from '../../test/support/cleanup.ts'
import { freePort } from '../../test/support/free-port.ts'
import { rule } from '../../test/support/rules.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

const observability = fileURLToPath(new URL('../../deploy/observability/', import.meta.url))
const RULES = `
${rule('games', 'block', 'lists = ["games"]', 'category = "games"')}
${rule('social', 'warn', 'match = ["social.example"]')}
${rule('lab', 'aup', 'match = ["lab.example"]', 'category = "labs"', 'override = { type = "pin", code = "481516" }')}
[[lists]]
name = "games"
path = "games.txt"
`
/** Of Grafana's variables; the interval has several scrapes. */
const RATE_INTERVAL = '10s'
/** Seconds. */
const SCRAPED_FOR = 12

interface Target {
  readonly expr: string
  readonly legendFormat: string
}

interface Result {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [at: number, value: string]
}

const read = (file: string) => readFileSync(join(observability, file), 'utf8')
const panelsOf = (file: string) =>
  (JSON.parse(read(file)) as { panels: { title: string; targets?: readonly Target[] }[] }).panels
const withVariables = (expr: string) =>
  expr
    .replaceAll('$__rate_interval', RATE_INTERVAL)
    .replaceAll('$__interval', RATE_INTERVAL)
    .replaceAll('$instance', '.*')

test('promtool accepts the alert rules', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(observability, 'alerts.yaml')])
  assert.equal(status, 0, `${stdout}${stderr}`)
})

test('every panel of the engine’s dashboard has data, and every query and rule is valid', {
  timeout: 120_000,
}, async (t) => {
  const engine = await startEngine(t, RULES, { files: { 'games.txt': 'play.example\n' } })
  const { ask } = await startPrometheus(t, await operationsAddress(engine))
  await useFor(engine, SCRAPED_FOR)

  const empty: string[] = []
  for (const { title, targets = [] } of panelsOf('grafana-dashboard-engine.json')) {
    for (const { expr, legendFormat } of targets) {
      const found = await ask(withVariables(expr))
      if (found.length === 0) empty.push(`${title}: ${expr}`)
      const labels = Array.from(legendFormat.matchAll(/\{\{(.*?)\}\}/g), ([, label = '']) => label)
      // An empty label is none.
      for (const label of labels.filter((one) => one !== 'category' && one !== 'rule')) {
        assert.ok(
          found.every(({ metric }) => label in metric),
          `${title}: no label ${label}`,
        )
      }
    }
  }
  assert.deepEqual(empty, [])

  const stopped = async (label: string) => {
    const found = await ask(`sum by (${label}) (engine_stopped_total)`)
    return new Map(found.map(({ metric, value }) => [metric[label] ?? '', Number(value[1])]))
  }
  const byRule = await stopped('rule')
  assert.deepEqual([...byRule.keys()].sort(), ['games', 'lab', 'social'])
  assert.ok([...byRule.values()].every((count) => count > 0))
  assert.deepEqual([...(await stopped('category')).keys()].sort(), ['', 'games', 'labs'])

  for (const { targets = [] } of panelsOf('grafana-dashboard.json')) {
    for (const { expr } of targets) await ask(withVariables(expr))
  }
  const { groups } = parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  assert.ok(rules.length > 20)
  const firing: string[] = []
  for (const { alert, expr } of rules) {
    if ((await ask(expr)).length > 0) firing.push(alert)
  }
  // Nothing is wrong with this engine; how quick it is depends on what else this machine does.
  const wrong = firing.filter((alert) => alert.startsWith('Engine') && alert !== 'EngineSlow')
  assert.deepEqual(wrong, [])
})

test('an engine that is away fires', { timeout: 60_000 }, async (t) => {
  const { ask } = await startPrometheus(t, `127.0.0.1:${await freePort()}`)
  const { groups } = parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] }
  const { expr } = groups.flatMap((group) => group.rules).find(({ alert }) => alert === 'EngineDown') ?? assert.fail()
  await until(async () => (await ask(expr)).length === 1)
})

type Engine = Awaited<ReturnType<typeof startEngine>>

async function operationsAddress(engine: Engine): Promise<string> {
  await engine.listening()
  const started = engine.lines.map(({ msg }) => /^operations listener on http:\/\/(.*)$/.exec(String(msg))?.[1])
  return started.find(Boolean) ?? assert.fail('no operations listener')
}

/** What visitors do, and an administrator, for so many seconds. */
async function useFor(engine: Engine, seconds: number): Promise<void> {
  const endsAt = performance.now() + seconds * 1000
  for (let turn = 0; performance.now() < endsAt; turn++) {
    for (const host of ['play', 'social', 'open']) await engine.decide(`https://${host}.example/`, { user: `u${turn}` })
    const { redirect } = await engine.decide('https://lab.example/', { user: `u${turn}` })
    await engine.acknowledge(redirect, turn % 2 === 0 ? '481516' : '000000')
    if (turn % 4 === 0) await engine.administer('reload', {})
    await sleep(250)
  }
}

/** Debian's, with the alert rules, scraping one engine every second. */
async function startPrometheus(t: Cleanup, target: string) {
  const folder = temporaryFolder(t)
  const config = join(folder, 'prometheus.yml')
  writeFileSync(
    config,
    [
      'global: { scrape_interval: 1s, evaluation_interval: 1s }',
      `rule_files: [${JSON.stringify(join(observability, 'alerts.yaml'))}]`,
      'scrape_configs:',
      '  - job_name: gateway-engine',
      `    static_configs: [{ targets: [${JSON.stringify(target)}] }]`,
      '',
    ].join('\n'),
  )
  const checked = spawnSync('promtool', ['check', 'config', config])
  assert.equal(checked.status, 0, `${checked.stdout}${checked.stderr}`)
  const port = await freePort()
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  t.after(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true)
  return {
    /** @throws {AssertionError} for a query that Prometheus rejects */
    async ask(query: string): Promise<readonly Result[]> {
      const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`)
      const { status, error, data } = (await response.json()) as {
        status: string
        error?: string
        data: { result: readonly Result[] }
      }
      assert.equal(status, 'success', `${query}: ${error}`)
      return data.result
    },
  }
}
