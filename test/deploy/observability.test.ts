// The dashboards and the alert rules use metrics that a real portal and engine expose, and all of them.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { healthDocument } from '../../src/contract/engine-health.ts'
import { startEngine } from '../engine/monitoring/engine-process.ts'
import { exchange } from '../portal/exchange.ts'
import { startOperations } from '../portal/monitoring/operations.ts'
import { makeCertificate } from '../support/certificates.ts'
import { type Cleanup, inReverse } from '../support/cleanup.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { keyring } from '../support/payloads.ts'
import { policyFiles } from '../support/policy-files.ts'
import { NOW } from '../support/portal.ts'

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] }
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}

interface Scraped {
  readonly job_name: string
  readonly static_configs: readonly { readonly targets: readonly string[] }[]
}

interface Program {
  readonly name: string
  readonly dashboard: string
  /** Of its alert rules. */
  readonly group: string
  /** Of its metrics' names. */
  readonly prefix: string
  /** Of its alerts' names. */
  readonly alerts: string
  /** The metrics of a real one that has responded to requests. */
  readonly scrape: (t: Cleanup) => Promise<string>
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { groups } = parse(read('deploy/observability/alerts.yaml')) as {
  groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}

const PROGRAMS: readonly Program[] = [
  {
    name: 'the portal',
    dashboard: 'grafana-dashboard.json',
    group: 'gateway-captive-portal',
    prefix: 'gateway_captive_',
    alerts: 'Portal',
    async scrape(t) {
      const files = policyFiles(undefined, {})
      const path = join(files.folder, 'ca.crt')
      t.after(async () => files.remove())
      for (const file of ['ca.crt', 'ca-next.crt']) {
        const { certificate } = makeCertificate({ notBefore: NOW - 1_000, notAfter: NOW + 86_400 })
        writeFileSync(join(files.folder, file), certificate)
      }
      const health = rawResponse(
        '200 OK',
        [],
        JSON.stringify(healthDocument(keyring.sealing.kid, { allowed: false, hosts: false })),
      )
      const engine = await startHostileEngine(undefined, respondWith(health))
      t.after(engine.close)
      const env = { GATEWAY_CAPTIVE_CA_PATH: path, ENGINE_INTERNAL_URL: engine.url }
      const operations = await startOperations(t, { env })
      for (const route of ['/blocked', '/warned', '/aup', '/api/captive/ack']) await exchange(operations.portal, route)
      return (await operations.send('/metrics')).body
    },
  },
  {
    name: 'the engine',
    dashboard: 'grafana-dashboard-engine.json',
    group: 'gateway-engine',
    prefix: 'engine_',
    alerts: 'Engine',
    async scrape(t) {
      const lists = '[[lists]]\nname = "casinos"\npath = "casinos.txt"'
      const rules = `[[rules]]\nname = "gambling"\nlists = ["casinos"]\naction = "block"\n${lists}`
      const engine = await startEngine(t, rules, { files: { 'casinos.txt': 'casino.example\n' } })
      for (const host of ['casino', 'other']) await engine.decide(`https://${host}.example/`)
      return (await engine.operations('/metrics')).body
    },
  },
]

test('each group of alert rules is a program’s', () => {
  assert.deepEqual(
    groups.map(({ name }) => name),
    PROGRAMS.map(({ group }) => group),
  )
})

test('prometheus.yaml scrapes every program in compose.yaml’s network for it, under the names of the alerts', () => {
  const { scrape_configs: scraped, rule_files: files } = parse(read('deploy/observability/prometheus.yaml'))
  const { services, networks } = parse(read('deploy/compose.yaml'), { merge: true })
  const rules = groups.flatMap((group) => group.rules.map(({ expr }) => expr)).join('\n')
  assert.deepEqual(files, ['alerts.yaml'])
  const targets = scraped.map(({ job_name: job, static_configs: found }: Scraped) => {
    assert.ok(rules.includes(`up{job="${job}"}`), job)
    return found[0]?.targets
  })
  assert.deepEqual(targets, [['portal:9464'], ['engine-metrics:9465']])
  assert.ok(services.portal.networks.includes('monitoring'))
  assert.equal(services.portal.environment.GATEWAY_CAPTIVE_OPS_HOST, '0.0.0.0')
  // The engine shares a network with the proxy, through which visitors could read them.
  assert.deepEqual(services.engine.networks.monitoring.aliases, ['engine-metrics'])
  assert.equal(services.engine.command[services.engine.command.indexOf('--ops') + 1], 'engine-metrics:9465')
  assert.equal(networks.monitoring.internal, true)
  assert.ok(!services.proxy.networks.includes('monitoring'))
})

/** The labels that Prometheus adds to every metric. */
const OF_PROMETHEUS = new Set(['job', 'instance'])
const FUNCTIONS = new Set(
  'sum min max count by on unless and or rate increase time histogram_quantile label_values'.split(' '),
)

/** @returns the selectors of a query: the metric's name and its label matchers */
function selectorsOf(query: string) {
  // Strings, the labels after `by` and durations are not names.
  const bare = query.replaceAll(/"[^"]*"|\b(?:by|on) \([^)]*\)|\[[^\]]*\]|\{[^}]*\}|\b[0-9.e]+\b/g, (match) =>
    ' '.repeat(match.length),
  )
  return [...bare.matchAll(/[a-zA-Z_][a-zA-Z0-9_]*/g)].flatMap(({ 0: name, index }) => {
    if (FUNCTIONS.has(name)) return []
    const [, matchers = ''] = /^\{([^}]*)\}/.exec(query.slice(index + name.length)) ?? []
    return [{ name, matchers: [...matchers.matchAll(/([a-z_]+)(=~|!=|!~|=)"([^"]*)"/g)] }]
  })
}

for (const { name, dashboard: file, group, prefix, alerts, scrape } of PROGRAMS) {
  describe(name, () => {
    const dashboard = JSON.parse(read(`deploy/observability/${file}`)) as Dashboard
    const rules = groups.find((one) => one.name === group)?.rules ?? []
    const queries = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...rules.map(({ expr }) => expr),
    ]
    /** The labels of every metric, and the values of each. */
    const metrics = new Map<string, Map<string, Set<string>>>()
    const families = new Set<string>()
    const suite = inReverse({ after })

    before(async () => {
      const body = await scrape(suite)
      for (const [, name = ''] of body.matchAll(/^# HELP (\S+)/gm)) families.add(name)
      for (const [, name = '', labels = ''] of body.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? \S+$/gm)) {
        const ofMetric = metrics.get(name) ?? new Map<string, Set<string>>()
        metrics.set(name, ofMetric)
        for (const [, label = '', value = ''] of labels.matchAll(/([a-z_]+)="([^"]*)"/g)) {
          ofMetric.set(label, (ofMetric.get(label) ?? new Set()).add(value))
        }
      }
    })
    test('every query asks for a metric that there is, with labels and values that it has, and closes what it opens', () => {
      assert.ok(queries.length > 0)
      let grouped = 0
      for (const query of queries) {
        const selectors = selectorsOf(query)
        assert.ok(selectors.length > 0, query)
        for (const [open = '', close = ''] of ['()', '[]', '{}']) {
          assert.equal(query.split(open).length, query.split(close).length, query)
        }
        for (const { name, matchers } of selectors) {
          const labels = metrics.get(name)
          assert.ok(labels !== undefined || name === 'up', `${name} in ${query}`)
          for (const [, label = '', , value = ''] of matchers) {
            if (OF_PROMETHEUS.has(label)) continue
            const values = labels?.get(label)
            assert.ok(values !== undefined, `${name} has no label ${label}`)
            // A status is any three digits.
            if (label === 'status') continue
            for (const one of value.split('|')) assert.ok(values.has(one), `${name} has no ${label}="${one}"`)
          }
        }
        const asked = query.matchAll(/\b(?:by|on) \(([^)]*)\)/g)
        for (const label of [...asked].flatMap(([, list = '']) => list.split(', '))) {
          const has = selectors.some(({ name }) => metrics.get(name)?.has(label))
          assert.ok(has || OF_PROMETHEUS.has(label), `${label} in ${query}`)
          grouped++
        }
      }
      assert.ok(grouped > 0, 'no query groups by a label')
    })

    test('every metric of ours is on the dashboard or in a rule', () => {
      const asked = new Set(queries.flatMap((query) => selectorsOf(query).map(({ name }) => name)))
      const ours = [...families].filter((name) => name.startsWith(prefix))
      assert.ok(ours.length > 9)
      const isAsked = (name: string) => ['', '_bucket'].some((suffix) => asked.has(name + suffix))
      assert.deepEqual(
        ours.filter((name) => !isAsked(name)),
        [],
      )
    })

    test('every alert says what it is about and what to do', () => {
      assert.ok(rules.length > 5)
      for (const { alert, labels, annotations } of rules) {
        assert.ok(alert.startsWith(alerts), alert)
        assert.match(labels.severity, /^(warning|critical)$/, alert)
        assert.ok(annotations.summary.length > 10, alert)
        assert.ok(annotations.description.length > 10, alert)
      }
    })

    test('the dashboard’s panels have their own places, and legends that name labels of their queries', () => {
      const { panels } = dashboard
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
      )
      assert.equal(new Set(cells).size, cells.length)
      let named = 0
      for (const { targets = [], title } of panels) {
        for (const { expr, legendFormat } of targets) {
          for (const [, label = ''] of legendFormat.matchAll(/\{\{(.*?)\}\}/g)) {
            assert.match(expr, new RegExp(`by \\([^)]*\\b${label}\\b`), title)
            named++
          }
        }
      }
      assert.ok(named > 0, 'no legend names a label')
    })
  })
}
