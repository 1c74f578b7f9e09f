// The fenced blocks of Markdown pages, and what comments say about them:
//   <!-- not run: REASON -->   directly before a block of commands
//   <!-- run by TEST -->       directly before one, or anywhere else for the rest of the page's blocks; TEST is the path
//                              of a test, or `npm run check -- NAME`
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Languages of commands. */
export const COMMANDS = ['sh', 'console', 'powershell', 'sql']

interface Block {
  readonly page: string
  readonly language: string
  readonly text: string
  /** The reason why the block is not run. */
  readonly reason: string | undefined
  /** What runs it. */
  readonly runBy: string | undefined
}

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

export function blocks(page: string): readonly Block[] {
  const content = readPage(page)
  const [, rest] = /^<!-- run by (.+) -->\n(?! *```)/m.exec(content) ?? []
  const pattern = /(?:^ *<!-- (?:not run: (.+)|run by (.+)) -->\n)?^( *)```(.*)\n([\s\S]*?)^ *```$/gm
  return Array.from(content.matchAll(pattern), ([, reason, own, indent = '', language = '', body = '']) => ({
    page,
    language,
    reason,
    runBy: reason === undefined ? (own ?? rest) : undefined,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

export const commandBlocks = (page: string): readonly Block[] =>
  blocks(page).filter(({ language }) => COMMANDS.includes(language))

/** @param test the path of the test that calls this: `import.meta.filename` */
export const blocksRunBy = (test: string, page: string): readonly Block[] =>
  commandBlocks(page).filter(({ runBy }) => runBy === relative(ROOT, test))

/** The commands of a `console` block, each with the output that follows it. */
export const sessions = ({ text }: Block): readonly (readonly [command: string, output: string])[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((session) => {
      const [command = '', ...output] = session.split('\n')
      return [command, output.join('\n')]
    })
