// Everything that Markdown files refer to exists: files and headings behind relative links, tests, and checks.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CHECKS } from '../../checks/list.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const documents = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules', '.git', 'dist'] })
const prose = (path: string) => readFileSync(path, 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')

/** @returns the anchors that GitHub derives from the headings */
function anchors(path: string): Set<string | undefined> {
  const headings = prose(path).matchAll(/^#+ (.+)$/gm)
  const words = Array.from(headings, ([, title = '']) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, ''))
  return new Set(words.map((title) => title.replaceAll(' ', '-')))
}

test('every relative link leads to a file and a heading', () => {
  const broken = documents.flatMap((document) =>
    [...prose(join(root, document)).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([link, path = '', anchor]) => {
        const target = path === '' ? join(root, document) : join(root, dirname(document), path)
        const isGood = existsSync(target) && (anchor === undefined || anchors(target).has(anchor))
        return isGood ? [] : [`${document}: ${link}`]
      },
    ),
  )
  assert.ok(documents.length > 15)
  assert.deepEqual(broken, [])
})

// CHANGELOG.md names removed files.
const present = documents.filter((document) => document !== 'CHANGELOG.md')

function missing(pattern: RegExp, exists: (name: string) => boolean): readonly string[] {
  return present.flatMap((document) => {
    const names = Array.from(readFileSync(join(root, document), 'utf8').matchAll(pattern), ([, name = '']) => name)
    return names.filter((name) => !exists(name)).map((name) => `${document}: ${name}`)
  })
}

test('every test that is named exists', () => {
  assert.deepEqual(
    missing(/`(test\/[^`*<…\s]+\.ts)`/g, (path) => existsSync(join(root, path))),
    [],
  )
})

test('every check that is named exists', () => {
  const names = new Set(CHECKS.map(({ name }) => name))
  assert.deepEqual(
    missing(/npm run check -- ([a-z][a-z-]*)/g, (name) => names.has(name)),
    [],
  )
})
