// The documents keep to what exists: links, tests, checks and commands. SECURITY.md names a test for each promise, and
// docs/accessibility.md has every criterion of WCAG 2.2 at level A and AA.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { CHECKS } from '../../checks/list.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const exists = (path: string) => existsSync(join(root, path))
const documents = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules', '.git', 'dist'] })
const prose = (path: string) => read(path).replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')

/** @returns the anchors that GitHub derives from the headings */
function anchors(path: string): Set<string | undefined> {
  const headings = prose(path).matchAll(/^#+ (.+)$/gm)
  const words = Array.from(headings, ([, title = '']) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, ''))
  return new Set(words.map((title) => title.replaceAll(' ', '-')))
}

test('every relative link leads to a file and a heading', () => {
  assert.ok(documents.length > 15)
  for (const document of documents) {
    for (const [link, path = '', anchor] of prose(document).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      const target = path === '' ? document : join(dirname(document), path)
      assert.ok(exists(target) && (anchor === undefined || anchors(target).has(anchor)), `${document}: ${link}`)
    }
  }
})

test('every test and every check that is named exists', () => {
  const names = new Set(CHECKS.map(({ name }) => name))
  // CHANGELOG.md names removed files.
  for (const document of documents.filter((document) => document !== 'CHANGELOG.md')) {
    const text = read(document)
    for (const [, path = ''] of text.matchAll(/`(test\/[^`*<…\s]+\.ts)`/g))
      assert.ok(exists(path), `${document}: ${path}`)
    for (const [, name = ''] of text.matchAll(/npm run check -- ([a-z][a-z-]*)/g)) {
      assert.ok(names.has(name), `${document}: ${name}`)
    }
  }
})

const security = read('SECURITY.md')
// Named without their ending.
const named = new Set(Array.from(security.matchAll(/`((?:test|checks)\/[^`]+)`/g), ([, path]) => `${path}.test.ts`))

/** @returns the list items of a part of the document, each on one line */
function itemsOf(part: string): string[] {
  return Array.from(part.matchAll(/^- .*(?:\n {2}.*)*/gm), ([item]) => item.slice(2).replaceAll(/\n */g, ' '))
}

describe('SECURITY.md', () => {
  test('every promise names its tests, or says that there are none', () => {
    const [, promised = ''] = /## What is promised[^\n]*\n(.*?)\n## What is not promised/s.exec(security) ?? []
    const [, ...sections] = promised.split(/^### /m)
    assert.ok(sections.length > 10)
    assert.ok(itemsOf(promised).length > 55)
    for (const section of sections) assert.ok(itemsOf(section).length > 0, section)
    const tests = /`(?:test|checks)\/[^`]+`(?:, `(?:test|checks)\/[^`]+`)*|not promised|by hand, before a release/
    const promise = new RegExp(`^\\*\\*[^*]+\\*\\*: .+ \\((?:${tests.source})\\)$`)
    for (const item of itemsOf(promised)) assert.match(item, promise)
  })

  test('every named test exists and runs', () => {
    assert.ok(named.size > 80)
    for (const path of named) {
      assert.ok(exists(path), path)
      // Its own tests, or those of its parts.
      assert.match(read(path), /^ *test\(|^import \{ test\w+ \} from '\.\//m, path)
    }
  })

  test('every named command exists', () => {
    const commands = Array.from(security.matchAll(/`npm run ([a-z:]+)/g), ([, name = '']) => name)
    assert.ok(commands.length > 2)
    for (const name of commands) assert.ok(name in packageJson.scripts, name)
  })

  test('every deviation has a reason and a mitigation', () => {
    const deviations = itemsOf(/## Deliberate deviations\n(.*)/s.exec(security)?.[1] ?? '')
    assert.ok(deviations.length > 8)
    for (const deviation of deviations) {
      // What, the requirement if there is one, reason, mitigation.
      assert.match(deviation, /^\*\*[^*]+\*\*(?: \(\d+\.\d+\.\d+(?:, by its alternative)?\))?: (?!Mitigation)\S.*\.$/)
      assert.ok(deviation.includes('. Mitigation: ') || deviation.startsWith('**The version is shown**'), deviation)
    }
    for (const requirement of ['3.5.3', '3.4.1', '14.2.1']) {
      assert.ok(
        deviations.some((deviation) => deviation.includes(`** (${requirement}`)),
        requirement,
      )
    }
  })
})

const LEVEL_A = `1.1.1 1.2.1 1.2.2 1.2.3 1.3.1 1.3.2 1.3.3 1.4.1 1.4.2 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 2.4.2 2.4.3
  2.4.4 2.5.1 2.5.2 2.5.3 2.5.4 3.1.1 3.2.1 3.2.2 3.2.6 3.3.1 3.3.2 3.3.7 4.1.2`
const LEVEL_AA = `1.2.4 1.2.5 1.3.4 1.3.5 1.4.3 1.4.4 1.4.5 1.4.10 1.4.11 1.4.12 1.4.13 2.4.5 2.4.6 2.4.7 2.4.11 2.5.7 2.5.8
  3.1.2 3.2.3 3.2.4 3.3.3 3.3.4 3.3.8 4.1.3`
/** EN 301 549 V3.2.1 is based on WCAG 2.1. */
const SINCE_2_2 = ['2.4.11', '2.5.7', '2.5.8', '3.2.6', '3.3.7', '3.3.8']

// A criterion is supported unless its remarks begin with another result.
const CRITERION = /^- (\d\.\d\.\d+) .+ \((A|AA)\): (?:(Partially supports|Does not support|Not applicable): )?(.+)$/gm
const CHECK = /^- \*\*([^*]+)\*\*, `([^`]+)`: (.*(?:\n {2}.*)*)/gm

const report = read('docs/accessibility.md')
const criteria = Array.from(report.matchAll(CRITERION), ([, number = '', level, result = 'Supports', remarks = '']) => {
  return { number, level, result, remarks }
})
const listed = Array.from(report.matchAll(CHECK), ([, name = '', file = '', tests = '']) => {
  return { name, file, tests: tests.replaceAll(/\n */g, ' ') }
})

describe('docs/accessibility.md', () => {
  test('every criterion is listed, with its level, and the summary counts the results', () => {
    const expected = [
      ...LEVEL_A.split(/\s+/).map((number) => `${number} A`),
      ...LEVEL_AA.split(/\s+/).map((number) => `${number} AA`),
    ].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    assert.equal(expected.length, 55)
    assert.deepEqual(
      criteria.map(({ number, level }) => `${number} ${level}`),
      expected,
    )
    const count = (result: string): number => criteria.filter((criterion) => criterion.result === result).length
    const summary = /Of the 55 criteria, (\d+) are supported and (\d+) do not apply\./.exec(report)
    assert.deepEqual([summary?.[1], summary?.[2]], [`${count('Supports')}`, `${count('Not applicable')}`])
  })

  test('a sentence names the criteria that EN 301 549 V3.2.1 does not have', () => {
    const sentence = /Its clause in EN 301 549 is `9\.` and its number; (.+?), new in WCAG 2\.2, have none\./s
    assert.deepEqual(sentence.exec(report)?.[1]?.split(/,\s+|\s+and\s+/), SINCE_2_2)
  })

  test('every result names a listed test or a check by hand', () => {
    const names = new Set(listed.map(({ name }) => name))
    const used = new Set<string>()
    for (const { number, result, remarks } of criteria) {
      const bold = Array.from(remarks.matchAll(/\*\*([^*]+)\*\*/g), ([, name = '']) => name)
      assert.ok(bold.length > 0 || /\bby hand\b/i.test(remarks) || result === 'Not applicable', number)
      for (const name of bold) used.add(name)
    }
    assert.deepEqual(names, used)
  })

  test('every test that the report lists exists', () => {
    assert.ok(listed.length > 10)
    for (const { file, tests } of listed) {
      const names = Array.from(tests.matchAll(/“([^”]+)”/g), ([, name = '']) => name)
      assert.ok(names.length > 0, file)
      for (const name of names) assert.ok(read(file).includes(name), `${file}: ${name}`)
    }
  })
})
