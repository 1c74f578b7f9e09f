// Parses the operator's Markdown into a tree of the few elements that a page may show. Pages are rendered only from the
// tree, so no other markup can get through.
import MarkdownIt, { type Token } from 'markdown-it'
import { link } from '../settings/shapes.ts'
import { PolicyFault } from './fault.ts'
import { COMMENT_LINE, withoutNotes } from './notes.ts'

/** Text, or an element that a policy may contain. */
export type PolicyNode = string | PolicyElement

type PolicyElement = Shape & { readonly children: readonly PolicyNode[] }

type Shape =
  | { readonly kind: 'paragraph' | 'bullets' | 'item' | 'quote' | 'emphasis' | 'strong' | 'code' | 'break' }
  | { readonly kind: 'heading' /** As written, 1 to 6. */; readonly level: number }
  | { readonly kind: 'numbers'; readonly start: number }
  | { readonly kind: 'link' /** A normalised http, https or mailto URL. */; readonly href: string }

/** Nesting of lists, quotes, emphasis and links; markdown-it silently drops content beyond its own limit. */
const MAX_DEPTH = 8

const markdown = new MarkdownIt('zero', { html: false, maxNesting: 20 }).enable([
  'heading',
  'lheading',
  'list',
  'blockquote',
  'link',
  'reference',
  'autolink',
  'emphasis',
  'backticks',
  'escape',
  'entity',
  'newline',
  'fence',
  // Parsed only to be dropped: otherwise they would appear as text.
  'hr',
  'image',
])
// A comment on its own line ends what is above it, as in HTML.
markdown.block.ruler.before(
  'list',
  'comment',
  (state, line, _, isSilent) => {
    const text = state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim()
    if (text === '' || text.replaceAll(COMMENT_LINE, '').trim() !== '') return false
    if (!isSilent) state.line = line + 1
    return true
  },
  { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
)
// Links are validated below, for every syntax.
markdown.validateLink = () => true
markdown.normalizeLink = (url) => url
markdown.normalizeLinkText = (url) => url

const policyLink = link(['http', 'https', 'mailto'])

/** Pairs of tokens, by their common prefix; without a shape, only the content is kept. */
const PAIRS: Readonly<Record<string, (token: Token) => Shape | undefined>> = {
  heading: ({ tag }) => ({ kind: 'heading', level: Number(tag.slice(1)) }),
  // markdown-it hides the paragraphs of a tight list.
  paragraph: ({ hidden }) => (hidden ? undefined : { kind: 'paragraph' }),
  bullet_list: () => ({ kind: 'bullets' }),
  ordered_list: (token) => ({ kind: 'numbers', start: Number(token.attrGet('start') ?? 1) }),
  list_item: () => ({ kind: 'item' }),
  blockquote: () => ({ kind: 'quote' }),
  em: () => ({ kind: 'emphasis' }),
  strong: () => ({ kind: 'strong' }),
  link(token) {
    const href = policyLink.safeParse(token.attrGet('href')).data
    return href === undefined ? undefined : { kind: 'link', href }
  },
}

const SINGLES: Readonly<Record<string, (token: Token) => PolicyNode | undefined>> = {
  text: ({ content }) => content,
  softbreak: () => '\n',
  hardbreak: () => ({ kind: 'break', children: [] }),
  code_inline: ({ content }) => ({ kind: 'code', children: [content] }),
  fence: ({ content }) => ({
    kind: 'paragraph',
    children: [{ kind: 'code', children: linesOf(content.replace(/\n$/, '')) }],
  }),
  image: () => undefined,
  hr: () => undefined,
}

/** As typed: each line on its own line, with its indentation. */
function linesOf(text: string): PolicyNode[] {
  return text
    .replace(/^[ \t]+/gm, (indentation) => '\u00a0'.repeat(indentation.replaceAll('\t', '    ').length))
    .split('\n')
    .flatMap((line, index): PolicyNode[] => (index === 0 ? [line] : [{ kind: 'break', children: [] }, line]))
}

/** Empty if nothing would be visible. @throws {PolicyFault} when it is nested too deeply */
export function parseMarkdown(source: string): readonly PolicyNode[] {
  const root: PolicyNode[] = []
  const open: { readonly shape: Shape | undefined; readonly children: PolicyNode[] }[] = []
  const tokens = markdown.parse(withoutNotes(source), {})
  for (const token of tokens.flatMap((token) => (token.type === 'inline' ? inlineTokens(token) : token))) {
    if (token.nesting === 1) {
      // HTML does not allow a link inside a link.
      const shape = shapeOf(token)
      const isNested = shape?.kind === 'link' && open.some((outer) => outer.shape?.kind === 'link')
      open.push({ shape: isNested ? undefined : shape, children: [] })
      if (open.filter(({ shape }) => shape !== undefined && nests(shape)).length > MAX_DEPTH) {
        throw new PolicyFault(`must nest lists, quotes, emphasis and links at most ${MAX_DEPTH} deep; it goes deeper`)
      }
      continue
    }
    const closed = token.nesting === -1 ? open.pop() : { shape: undefined, children: single(token) }
    const siblings = open.at(-1)?.children ?? root
    // Not by spreading: there may be more than the maximum number of arguments.
    for (const node of closed === undefined ? [] : finish(closed.shape, closed.children)) siblings.push(node)
  }
  return root
}

const TABLE_RULE = /^\|?:?-+:?(?:\|:?-+:?)*\|?$/

/** A paragraph's. The rows of a table stay on their own lines, and so do lines that each begin with a bold label. */
function inlineTokens({ content, children }: Token): readonly Token[] {
  const lines = content.split('\n')
  const isTable = lines.some((line) => line.includes('|') && TABLE_RULE.test(line.replaceAll(/[ \t]/g, '')))
  const keepsLines = isTable || lines.every((line) => /^[ \t]*(?:\*\*|__)[^\s*_]/.test(line))
  for (const token of children ?? []) if (keepsLines && token.type === 'softbreak') token.type = 'hardbreak'
  return children ?? []
}

function shapeOf(token: Token): Shape | undefined {
  const pair = PAIRS[token.type.replace(/_open$/, '')]
  if (pair === undefined) throw new Error(`unsupported token ${token.type}`)
  return pair(token)
}

function single(token: Token): PolicyNode[] {
  const leaf = SINGLES[token.type]
  if (leaf === undefined) throw new Error(`unsupported token ${token.type}`)
  const node = leaf(token)
  return node === undefined ? [] : [node]
}

function nests({ kind }: Shape): boolean {
  return kind !== 'paragraph' && kind !== 'heading' && kind !== 'item'
}

const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--\p{Default_Ignorable_Code_Point}]/v

/** Whether anything in it is visible on a page. */
function isVisible(node: PolicyNode): boolean {
  return typeof node === 'string' ? VISIBLE.test(node) : node.children.some(isVisible)
}

/** Drops an element without visible content, except for an item, which keeps its number. */
function finish(shape: Shape | undefined, children: readonly PolicyNode[]): readonly PolicyNode[] {
  if (shape === undefined) return children
  const seen = shape.kind === 'item' || children.some(isVisible)
  if (shape.kind === 'link' && !seen) return [{ ...shape, children: [shape.href] }]
  return seen ? [{ ...shape, children }] : []
}
