// The dashboard, the alert rules and their documentation ask for metrics that a real portal exposes, and for all of them.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { exchange } from '../portal/exchange.ts'
import { startOperations } from '../portal/monitoring/operations.ts'
import { makeCertificate } from '../support/certificates.ts'
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
  readonly annotations: { readonly summary: string }
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const dashboard = JSON.parse(read('deploy/observability/grafana-dashboard.json')) as Dashboard
const { groups } = parse(read('deploy/observability/alerts.yaml')) as { groups: readonly { rules: readonly Rule[] }[] }
const rules = groups.flatMap(({ rules }) => rules)
const page = read('docs/observability.md')
const queries = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...rules.map(({ expr }) => expr),
]

/** The labels of every metric, and the values of each. */
const metrics = new Map<string, Map<string, Set<string>>>()
const families = new Set<string>()
const cleanups: (() => Promise<unknown>)[] = []

before(async () => {
  const files = policyFiles(undefined, {})
  const path = join(files.folder, 'ca.crt')
  cleanups.push(async () => files.remove())
  for (const file of ['ca.crt', 'ca-next.crt']) {
    const { certificate } = makeCertificate({ notBefore: NOW - 1_000, notAfter: NOW + 86_400 })
    writeFileSync(join(files.folder, file), certificate)
  }
  const operations = await startOperations(
    { after: (close: () => Promise<unknown>) => void cleanups.push(close) },
    { env: { GATEWAY_CAPTIVE_CA_PATH: path, ENGINE_INTERNAL_URL: 'http://127.0.0.1:1' } },
  )
  for (const route of ['/blocked', '/warned', '/aup', '/api/captive/ack']) await exchange(operations.portal, route)
  const { body } = await operations.ask('/metrics')
  for (const [, name = ''] of body.matchAll(/^# HELP (\S+)/gm)) families.add(name)
  for (const [, name = '', labels = ''] of body.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? \S+$/gm)) {
    const ofMetric = metrics.get(name) ?? new Map<string, Set<string>>()
    metrics.set(name, ofMetric)
    for (const [, label = '', value = ''] of labels.matchAll(/([a-z_]+)="([^"]*)"/g)) {
      ofMetric.set(label, (ofMetric.get(label) ?? new Set()).add(value))
    }
  }
})
after(async () => {
  for (const close of cleanups.toReversed()) await close()
})

/** What Prometheus adds to every metric, and the one metric of its own. */
const OF_PROMETHEUS = new Set(['job', 'instance'])
const FUNCTIONS = new Set(
  'sum min max count by on unless and or rate increase time histogram_quantile label_values'.split(' '),
)

/** The selectors of a query: name of the metric, and what is asked of its labels. */
function selectorsOf(query: string) {
  // Whatever stands between quotes, behind `by`, or is a time is no name.
  const bare = query.replaceAll(/"[^"]*"|\b(?:by|on) \([^)]*\)|\[[^\]]*\]|\{[^}]*\}|\b[0-9.e]+\b/g, (match) =>
    ' '.repeat(match.length),
  )
  return [...bare.matchAll(/[a-zA-Z_][a-zA-Z0-9_]*/g)].flatMap(({ 0: name, index }) => {
    if (FUNCTIONS.has(name)) return []
    const [, matchers = ''] = /^\{([^}]*)\}/.exec(query.slice(index + name.length)) ?? []
    return [{ name, matchers: [...matchers.matchAll(/([a-z_]+)(=~|!=|!~|=)"([^"]*)"/g)] }]
  })
}

describe('every query', () => {
  test('asks for a metric that there is, and for labels and values that it has', () => {
    assert.ok(queries.length > 0)
    let grouped = 0
    for (const query of queries) {
      const selectors = selectorsOf(query)
      assert.ok(selectors.length > 0, query)
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
  test('has an end to everything that it opens', () => {
    for (const query of queries) {
      for (const [open, close] of ['()', '[]', '{}'] as const) {
        assert.equal(query.split(open as string).length, query.split(close as string).length, query)
      }
    }
  })
})

test('every metric of ours is on the dashboard or in a rule, and documented; nothing else is', () => {
  const asked = new Set(queries.flatMap((query) => selectorsOf(query).map(({ name }) => name)))
  const ours = [...families].filter((name) => name.startsWith('gateway_captive_'))
  assert.ok(ours.length > 10)
  const isAsked = (name: string) => ['', '_bucket'].some((suffix) => asked.has(name + suffix))
  assert.deepEqual(
    ours.filter((name) => !isAsked(name)),
    [],
  )
  const documented = [...page.matchAll(/^\| `(gateway_captive_[a-z_]+)/gm)].map(([, name]) => name)
  assert.deepEqual(documented.toSorted(), ours.toSorted())
})

test('every alert is documented once, and says what it is about', () => {
  const documented = [...page.matchAll(/^\| `(Portal[A-Za-z]+)`/gm)].map(([, name]) => name)
  assert.ok(documented.length > 0)
  assert.deepEqual(
    documented,
    rules.map(({ alert }) => alert),
  )
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(warning|critical)$/, alert)
    assert.ok(annotations.summary.length > 10, alert)
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
