// Removes what an operator's Markdown contains that is not meant for visitors: metadata at its start, and comments outside of
// code. They are removed before the text is parsed, so that a comment is one whatever it begins or ends in; but one on lines of
// its own separates what is above and below it, as in HTML.

/** A line that stands for a comment on lines of its own. A policy contains no noncharacters. */
export const COMMENT_LINE = '\ufdd2'

/** The source without metadata and comments. Code keeps what looks like a comment; one without an end stays as text. */
export function withoutNotes(source: string): string {
  return withoutComments(withoutMetadata(source.replace(/\r\n?/g, '\n')))
}

const METADATA = [
  // YAML, as Jekyll, Pandoc and most editors write it.
  {
    start: '---',
    ends: ['---', '...'],
    first: /^[A-Za-z][\w.-]*:(?:\s|$)/,
    line: /^(?:[A-Za-z][\w.-]*:(?:\s|$)|\s|#|-\s|[\]}]|$)/,
  },
  // TOML, as Hugo writes it.
  { start: '+++', ends: ['+++'], first: /^(?:[\w".-]+\s*=|\[)/, line: /^(?:[\w".-]+\s*=|\[|\s|#|[\]}"']|$)/ },
]

/** Only what looks like metadata in every line: two horizontal rules around a paragraph are none. */
function withoutMetadata(source: string): string {
  const lines = source.split('\n')
  const at = lines.findIndex((line) => line.trim() !== '')
  const kind = METADATA.find(({ start }) => start === lines[at]?.trimEnd())
  if (kind === undefined) return source
  const contents = lines.slice(at + 1)
  const end = contents.findIndex((line) => kind.ends.includes(line.trimEnd()))
  const inside = contents.slice(0, end)
  const [first] = inside.filter((line) => !/^\s*(#|$)/.test(line))
  const isMetadata =
    end !== -1 &&
    inside.every((line) => kind.line.test(line)) &&
    (first === undefined ? end === 0 : kind.first.test(first))
  return isMetadata ? contents.slice(end + 1).join('\n') : source
}

/** A fence of code, an escape, a run of backticks, or the beginning of a comment. */
const NEXT =
  /(?<=^|\n)[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?<fence>`{3,}(?=[^`\n]*(?:\n|$))|~{3,})|\\[^\n]|(?<run>`+)|<!--/g

function withoutComments(source: string): string {
  const parts: string[] = []
  let copied = 0
  /** Whether there is nothing but comments in this line so far. */
  let isAlone = true
  const closingRun = createRunSearch(source)
  const next = new RegExp(NEXT)
  for (let match = next.exec(source); match !== null; match = next.exec(source)) {
    const { fence, run } = match.groups ?? {}
    if (fence !== undefined) next.lastIndex = endOfFence(source, next.lastIndex, fence)
    else if (run !== undefined) next.lastIndex = closingRun(next.lastIndex, run.length)
    if (match[0] !== '<!--') continue
    // `<!-->` and `<!--->` are complete comments.
    const end = source.indexOf('-->', match.index + 2)
    if (end === -1) break
    const before = source.slice(copied, match.index)
    const lineStart = before.lastIndexOf('\n') + 1
    isAlone = (isAlone || lineStart > 0) && /^[ \t>]*$/.test(before.slice(lineStart))
    next.lastIndex = copied = end + 3
    REST_OF_LINE.lastIndex = copied
    const isLast = REST_OF_LINE.test(source)
    // Two spaces at the end of a line would break it.
    parts.push(isLast && !isAlone ? before.trimEnd() : before, isLast && isAlone ? COMMENT_LINE : '')
  }
  return parts.join('') + source.slice(copied)
}

const REST_OF_LINE = /[ \t]*(?:\n|$)/y

/** Without a closing line, a fence ends with the text. */
function endOfFence(source: string, from: number, fence: string): number {
  const closing = new RegExp(`\\n[ \\t>]*${fence[0]}{${fence.length},}[ \\t]*(?=\\n|$)`, 'g')
  closing.lastIndex = from
  return closing.exec(source) === null ? source.length : closing.lastIndex
}

/** Finds where a code span ends: after the next run of as many backticks in its paragraph; otherwise it is none. */
function createRunSearch(source: string): (from: number, length: number) => number {
  let paragraphEnd = -1
  /** The ends of the paragraph's runs by their length, in descending order. */
  const ends = new Map<number, number[]>()
  return (from, length) => {
    if (from > paragraphEnd) readParagraph(from)
    const candidates = ends.get(length) ?? []
    while ((candidates.at(-1) ?? Infinity) <= from) candidates.pop()
    return candidates.at(-1) ?? from
  }

  function readParagraph(from: number): void {
    BLANK_LINE.lastIndex = from
    paragraphEnd = BLANK_LINE.exec(source)?.index ?? source.length
    ends.clear()
    const runs = [...source.slice(from, paragraphEnd).matchAll(/`+/g)]
    for (const { index, 0: run } of runs.reverse()) {
      ends.getOrInsertComputed(run.length, () => []).push(from + index + run.length)
    }
  }
}

const BLANK_LINE = /\n[ \t>]*(?=\n|$)/g
