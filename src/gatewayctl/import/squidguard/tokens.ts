// The words of a configuration of squidGuard or ufdbGuard.

export interface Token {
  readonly text: string
  readonly line: number
  /** In quotation marks: never a keyword. */
  readonly isQuoted: boolean
}

/** One word follows, of any characters: an address with `#`, `!` or `,`. */
const BEFORE_ADDRESS = new Set(['redirect', 'ldapusersearch', 'ldapipsearch'])
/** The rest of the line follows. */
const BEFORE_REST = new Set(['execuserlist', 'execdomainlist', 'userquery', 'ldapbinddn', 'ldapbindpass'])

const BLANKS = /[\s,]+/y
const COMMENT = /#.*/y
const QUOTED = /"([^"\n]*)"/y
const SUBSTITUTION = /s@(?:[^@\\\n]|\\.)*@(?:[^@\\\n]|\\.)*@[a-zA-Z]*/y
const WORD = /[{}!"]|[^\s{}!#",]+/y
const ADDRESS = /[^\S\n]*(?:"([^"\n]*)"|([^\s"]\S*))/y
const REST = /[^\n]*/y

/** Commas separate words as white space does. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  let line = 1

  function match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text) ?? undefined
    if (found !== undefined) at = pattern.lastIndex
    return found
  }
  const add = (word: string, isQuoted: boolean) => tokens.push({ text: word, line, isQuoted })

  while (at < text.length) {
    const blanks = match(BLANKS)
    if (blanks !== undefined) {
      line += blanks[0].split('\n').length - 1
      continue
    }
    if (match(COMMENT) !== undefined) continue
    const quoted = match(QUOTED)
    if (quoted !== undefined) {
      add(quoted[1] ?? '', true)
      continue
    }
    const [word = ''] = match(SUBSTITUTION) ?? match(WORD) ?? []
    add(word, false)
    if (BEFORE_ADDRESS.has(word)) {
      const address = match(ADDRESS)
      if (address !== undefined) add(address[1] ?? address[2] ?? '', true)
    } else if (BEFORE_REST.has(word)) add(match(REST)?.[0].trim() ?? '', true)
  }
  return tokens
}
