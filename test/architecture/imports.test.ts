// Which folders may import each other, without cycles; which files may read the environment or use text as markup.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }))
const files = read('src/**/*.{ts,js}')

const SPECIFIER =
  /^\s*(?:import|export)\s[^'"`]*?\bfrom\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\((?:'([^']+)'\)|([^)]*)\))/gm
const room = (path: string) => path.split('/')[1] as string

const importsIn = (sources: typeof files) =>
  sources.flatMap(({ path, source }) =>
    Array.from(source.matchAll(SPECIFIER), ([statement, from, bare, dynamic, unclear]) => {
      const specifier = from ?? bare ?? dynamic ?? unclear ?? ''
      const target = specifier.startsWith('.') ? join(dirname(path), specifier) : undefined
      return { path, specifier, target, typesOnly: /^\s*import type\b/.test(statement) }
    }),
  )
const imports = importsIn(files)

const SHARED = 'archive settings network published database html aup ledger certificate observability start'.split(' ')
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  ...Object.fromEntries(SHARED.map((name) => [name, ['contract', ...SHARED]])),
  ...Object.fromEntries(['portal', 'engine', 'proxy', 'gatewayctl'].map((name) => [name, ['contract', ...SHARED]])),
}
/** Packages without side effects. */
const PURE_PACKAGES = ['node:crypto', 'uqr']
const WITHOUT_IO =
  /^src\/(html\/|gatewayctl\/report\/page\/|portal\/(page\/|verdict\/(?!route)|outcome\/(outcomes|page)|privacy\/page|certificate\/(page|systems|qr-code|proxy-steps|sheet)\.ts))/
/** Declarations, without what reads their values. */
const PORTAL_CONFIG = 'src/portal/settings/config.ts'
const PORTAL_SECTIONS = /^src\/portal\/settings\/(?!config|load)/

test('every import is parsed, and every file is found', () => {
  assert.ok(files.length > 50)
  for (const { path, target, specifier } of imports) {
    assert.ok(target === undefined || existsSync(join(root, target)), `${path} imports ${specifier}`)
    assert.doesNotMatch(specifier, /['"`]|^$/, `${path}: an import without a literal path`)
  }
})

test('rooms import only what they may', () => {
  for (const { path, target } of imports) {
    if (target === undefined || room(target) === room(path)) continue
    assert.ok(MAY_IMPORT[room(path)]?.includes(room(target)), `${path} imports ${target}`)
  }
})

/** Checks and benchmarks import the tests' support, never the other way round, and no test imports a long-running check. */
const BESIDE: Readonly<Record<string, RegExp>> = {
  'test/support': /^(test\/support|src|demo)\//,
  bench: /^(bench|test\/support|src)\//,
  checks: /^(checks|bench|test\/(support|deploy|engine|gatewayctl|ledger|portal|proxy|terminator)|src|demo)\//,
}

test('so do benchmarks, checks and what tests share', () => {
  for (const [folder, allowed] of Object.entries(BESIDE)) {
    const found = importsIn(read(`${folder}/**/*.ts`)).filter(({ target }) => target !== undefined)
    assert.ok(found.length > 20)
    for (const { path, target } of found) assert.match(String(target), allowed, `${path} imports ${target}`)
  }
})

test('no import cycle, type imports included', () => {
  const all = read('{bench,checks,demo,scripts,src,test}/**/*.ts')
  assert.ok(all.length > files.length)
  assert.deepEqual(cycles(all), [])
})

/** Each cycle as its files: the strongly connected components of the import graph (Tarjan). */
function cycles(all: typeof files): string[][] {
  const importsOf = Map.groupBy(importsIn(all), ({ path }) => path)
  const index = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  /** Returns the lowest index that the file reaches. */
  const visit = (path: string): number => {
    const own = index.size
    let lowest = own
    index.set(path, own)
    stack.push(path)
    for (const { target } of importsOf.get(path) ?? []) {
      if (target === undefined) continue
      if (!index.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? own)
    }
    if (lowest < own) return lowest
    const component = stack.splice(stack.indexOf(path))
    if (component.length > 1) found.push(component.sort())
    return own
  }
  for (const { path } of all) if (!index.has(path)) visit(path)
  return found.sort()
}

test('what renders does no I/O', () => {
  for (const { path, specifier, target, typesOnly } of imports.filter(({ path }) => WITHOUT_IO.test(path))) {
    const rooms = ['settings', 'contract', ...(typesOnly ? ['aup'] : [])]
    const isPure =
      target === undefined
        ? PURE_PACKAGES.includes(specifier)
        : WITHOUT_IO.test(target) ||
          PORTAL_SECTIONS.test(target) ||
          (typesOnly && target === PORTAL_CONFIG) ||
          rooms.includes(room(target))
    assert.ok(isPure, `${path} imports ${specifier}`)
  }
})

describe('only these files', () => {
  const holding = (pattern: RegExp) => files.filter(({ source }) => pattern.test(source)).map(({ path }) => path)

  test('use text as markup', () => {
    assert.deepEqual(holding(/\btrusted\(|\{[^}]*\btrusted\b[^}]*\} from/).sort(), [
      'src/gatewayctl/report/page/style.ts',
      'src/html/html.ts',
      'src/portal/page/assets.ts',
    ])
  })
  test('read the environment', () => {
    assert.deepEqual(
      holding(/\bprocess\s*\.\s*env\b|\benv\b[^\n]*from 'node:process'|\bloadEnvFile\b/)
        .filter((path) => !path.startsWith('src/settings/sections/'))
        .sort(),
      [
        'src/engine/main.ts',
        'src/engine/process.ts',
        'src/gatewayctl/main.ts',
        'src/portal/main.ts',
        'src/portal/preview/main.ts',
        'src/proxy/main.ts',
        'src/proxy/ruled-hosts.ts',
      ],
    )
  })
})
