// Reads the words of a configuration one after the other, block by block.
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import type { Named } from './configuration.ts'
import type { Notes } from './notes.ts'
import { type Token, tokensOf } from './tokens.ts'

/** Only ufdbGuard has these. */
const UFDBGUARD = new Set(
  (
    'category cat ipv4 ipv6 ipv4list ipv6list evaluate-and evaluate-or option cacerts cacerts-dir unix ' +
    'administrator port interface cpus http-server logpass logblock logall safe-search check-proxy-tunnels pidfile ' +
    'squid-version num-worker-threads deny-mode redirect-https analyse-uncategorised-urls strip-domain-from-username'
  ).split(' '),
)

/** The keywords that begin a statement of each kind of block. */
const KEYWORDS = {
  source: keywords(
    'ip ipv4 ipv6 iplist ipv4list ipv6list user userlist unix group ldapusersearch ldapipsearch execuserlist userquery ' +
      'userquota domain within outside log logfile continue evaluate-and evaluate-or',
  ),
  destination: keywords(
    'domainlist urllist expressionlist execdomainlist redirect rewrite within outside log logfile option cacerts ' +
      'cacerts-dir',
  ),
  acl: keywords('pass redirect rewrite log logfile'),
  time: keywords('weekly date'),
}

export type Block = keyof typeof KEYWORDS

function keywords(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

export interface Cursor {
  /** Undefined at the end. */
  peek(): Token | undefined
  /** @throws {Failure} at the end */
  next(): Token
  /** Whether this keyword or sign follows. */
  is(text: string): boolean
  expect(text: string, after: string): void
  nameAfter(keyword: string): Named
  /** The words up to the next statement of the block. */
  words(block: Block): readonly Token[]
  /** Calls `read` after the keyword of each statement of a block, whose `{` has been read; skips what it does not know. */
  block(kind: Block, read: (keyword: string, line: number) => void): void
  /** Skips the line of a word that is not known, and a block that begins on it. */
  skip(word: string, line: number): void
  /** What shows that it is ufdbGuard's configuration, if that has been read. */
  ufdbguard(): Named | undefined
}

/** @param file for messages; all of the cursor's methods throw {Failure} */
export function createCursor(text: string, file: string, notes: Notes): Cursor {
  const tokens = tokensOf(text)
  let at = 0
  /** Lines with the `{` of the blocks around the next word. */
  const opened: number[] = []
  let ufdbguard: Named | undefined

  const peek = (): Token | undefined => tokens[at]
  const is = (text: string) => peek()?.isQuoted === false && peek()?.text === text

  function next(): Token {
    const token = tokens[at++]
    if (token === undefined) throw new Failure(unendedText(), EXIT_MISUSED)
    const { text, line, isQuoted } = token
    if (isQuoted) return token
    if (text === '{') opened.push(line)
    else if (text === '}' && opened.pop() === undefined) {
      throw new Failure(`${file}:${line} has a } that ends no block`, EXIT_MISUSED)
    }
    if (UFDBGUARD.has(text)) ufdbguard ??= { name: text, line }
    return token
  }

  function unendedText(): string {
    const [begin, end] = [opened.at(-1), tokens.at(-1)?.line]
    return begin === undefined
      ? `${file}:${end} must not be the end: a keyword needs a word after it`
      : `${file}:${begin} begins a block that has no end`
  }

  function expect(text: string, after: string): void {
    const token = next()
    if (!token.isQuoted && token.text === text) return
    throw new Failure(`${file}:${token.line} must have ${text} after ${after}; it has ${token.text}`, EXIT_MISUSED)
  }

  function nameAfter(keyword: string): Named {
    const { text, line, isQuoted } = next()
    if (isQuoted || !/^[{}!]$/.test(text)) return { name: text, line }
    throw new Failure(`${file}:${line} must have a name after ${keyword}; it has ${text}`, EXIT_MISUSED)
  }

  function words(block: Block): readonly Token[] {
    const found: Token[] = []
    for (let token = peek(); token !== undefined; token = peek()) {
      if (!token.isQuoted && (/^[{}]$/.test(token.text) || KEYWORDS[block].has(token.text))) break
      found.push(next())
    }
    return found
  }

  function block(kind: Block, read: (keyword: string, line: number) => void): void {
    while (!is('}')) {
      const { text, line, isQuoted } = next()
      if (!isQuoted && KEYWORDS[kind].has(text)) read(text, line)
      else skip(text, line)
    }
    next()
  }

  function skip(word: string, line: number): void {
    notes.add(line, `${word}: not imported`)
    const around = word === '{' ? opened.length - 1 : opened.length
    while (opened.length > around || (peek()?.line === line && !is('}'))) next()
  }

  return { peek, next, is, expect, nameAfter, words, block, skip, ufdbguard: () => ufdbguard }
}
