// The lines of a published list in the operator's files: a line of lists.conf, and a marked block of the policy. Each edit is text
// in, text out: everything else stays as the operator wrote it.
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { fileName, type PublishedList } from './catalogue.ts'

const MARK = 'gatewayctl lists'

/** Whether the policy has the block of this list. */
export function isAdded(policy: string, { name }: Pick<PublishedList, 'name'>): boolean {
  return linesOf(policy).includes(beginOf(name))
}

/**
 * @param folder where the lists are, as the policy names it
 * @param above the line of the rule above which the list's has to be; without it, that is the last one
 * @throws {Failure} where the policy has the name already, or its tables are inline
 */
export function addToPolicy(policy: string, list: PublishedList, folder: string, above?: number): string {
  const { name, about, publisher, licence } = list
  const taken = lineWith(policy, name)
  if (taken !== undefined) throw new Failure(`the policy has the name "${name}" already, on line ${taken}`)
  const lines = linesOf(policy)
  const firstTable = lines.findIndex((line) => /^\s*\[/.test(line))
  const topLevel = firstTable === -1 ? lines : lines.slice(0, firstTable)
  const inline = topLevel.findIndex((line) => /^\s*["']?(rules|lists)["']?\s*=/.test(line))
  if (inline !== -1) {
    throw new Failure(
      `the policy must have its rules and lists as tables, such as [[rules]]; line ${inline + 1} has not`,
    )
  }
  const block = [
    beginOf(name),
    `# ${publisher}, ${licence}`,
    '[[lists]]',
    `name = ${JSON.stringify(name)}`,
    `path = ${JSON.stringify(`${folder.replace(/\/+$/, '')}/${fileName(list)}`)}`,
    '# Until it has been fetched for the first time.',
    'optional = true',
    '',
    '[[rules]]',
    `name = ${JSON.stringify(name)}`,
    `category = ${JSON.stringify(about)}`,
    `lists = [${JSON.stringify(name)}]`,
    'action = "block"',
    endOf(name),
  ]
  const end = policy.includes('\r\n') ? '\r' : ''
  const raw = policy.split('\n')
  const inserted = (at: number, added: readonly string[]) =>
    raw.toSpliced(at, 0, ...added.map((line) => `${line}${end}`)).join('\n')
  if (above === undefined) return inserted(raw.length - 1, ['', ...block])
  // What is said about that rule stays with it.
  let at = above - 1
  while (at > 0 && isComment(lines[at - 1] ?? '')) at--
  return inserted(at, [...block, ''])
}

function isComment(line: string): boolean {
  return /^\s*#/.test(line) && !line.startsWith(`# ${MARK}: `)
}

/** @throws {Failure} where the block has more than it was given, or other lines name the list */
export function removeFromPolicy(policy: string, { name }: Pick<PublishedList, 'name'>): string {
  const lines = linesOf(policy)
  const [begin, end] = [lines.indexOf(beginOf(name)), lines.indexOf(endOf(name))]
  if (begin === -1) throw new Failure(`the policy does not have "${name}" from gatewayctl lists add`)
  if (end < begin) throw new Failure(`line ${begin + 1} of the policy must have its end below it: ${endOf(name)}`)
  const tables = lines.slice(begin, end).flatMap((line, at) => {
    const [, table] = /^\s*\[+\s*"?([^\].\s"]+)/.exec(line) ?? []
    return table === undefined ? [] : [{ table, line: begin + at + 1 }]
  })
  const isOwn = tables.map(({ table }) => table).join() === 'lists,rules'
  if (!isOwn) {
    const which = tables.map(({ line }) => line).join(', ')
    throw new Failure(
      `the lines from "${beginOf(name)}" on must have one [[lists]] and one [[rules]] (tables on lines ${which}): move or remove the others by hand`,
    )
  }
  // An empty line was added, too: before it at the end of the policy, otherwise after it.
  const from = lines[begin - 1] === '' ? begin - 1 : begin
  const to = from === begin && lines[end + 1] === '' && end + 2 < lines.length ? end + 2 : end + 1
  const rest = policy.split('\n').toSpliced(from, to - from)
  const other = rest.findIndex((line) => names(line, name))
  if (other !== -1) {
    const line = other < from ? other + 1 : other + 1 + (to - from)
    throw new Failure(`line ${line} of the policy names "${name}", too: remove it there first`)
  }
  return rest.join('\n')
}

/** The path in the list's block, as it is written there. */
export function pathInPolicy(policy: string, { name }: Pick<PublishedList, 'name'>): string | undefined {
  const lines = linesOf(policy)
  const block = lines.slice(lines.indexOf(beginOf(name)), lines.indexOf(endOf(name)))
  const [, path] =
    block.map((line) => /^\s*path\s*=\s*["']([^"'\\]+)["']/.exec(line) ?? []).find(([, one]) => one) ?? []
  return path
}

/** The number of its rules, which are tables. */
export function rulesIn(policy: string): number {
  return linesOf(policy).filter((line) => /^\s*\[\[\s*["']?rules["']?\s*\]\]/.test(line)).length
}

/** @throws {Failure} where lists.conf has another address for its file */
export function addToSources(sources: string, list: PublishedList): string {
  const file = fileName(list)
  const found = linesOf(sources).findIndex((line) => wordsOf(line)[0] === file)
  if (found === -1) {
    const begin = sources === '' || sources.endsWith('\n') ? sources : `${sources}\n`
    return `${begin}${file}  ${list.address}  # ${list.name}\n`
  }
  if (wordsOf(linesOf(sources)[found] ?? '')[1] === list.address) return sources
  throw new Failure(`line ${found + 1} of the addresses has another one for ${file}: remove it first`)
}

/** A line that has another address stays: it is the operator's. */
export function removeFromSources(sources: string, list: PublishedList): string {
  const isOwn = (line: string) => {
    const [file, address] = wordsOf(line)
    return file === fileName(list) && address === list.address
  }
  return sources
    .split('\n')
    .filter((line) => !isOwn(line))
    .join('\n')
}

/** @throws {Failure} for a name that the catalogue does not have */
export function findPublished(catalogue: readonly PublishedList[], name: string): PublishedList {
  const found = catalogue.find((one) => one.name === name)
  if (found !== undefined) return found
  throw new Failure(`the catalogue has no list ${JSON.stringify(name)}: see gatewayctl lists`, EXIT_MISUSED)
}

function beginOf(name: string): string {
  return `# ${MARK}: ${name}`
}

function endOf(name: string): string {
  return `# ${MARK}: end of ${name}`
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.replace(/\r$/, ''))
}

function wordsOf(line: string): readonly string[] {
  return line
    .replace(/^\ufeff/, '')
    .trim()
    .split(/\s+/)
}

/** The number of the first line that names it, but for comments. */
function lineWith(policy: string, name: string): number | undefined {
  const found = linesOf(policy).findIndex((line) => names(line, name))
  return found === -1 ? undefined : found + 1
}

function names(line: string, name: string): boolean {
  return !line.trimStart().startsWith('#') && (line.includes(`"${name}"`) || line.includes(`'${name}'`))
}
