// The only way from text to markup: a template that escapes every value.

/** Markup. Only this module can create it. */
export class Html {
  readonly #markup: string
  constructor(markup: string, key: typeof constructorKey) {
    if (key !== constructorKey) throw new TypeError('only html`…` and trusted() create markup')
    this.#markup = markup
  }
  toString(): string {
    return this.#markup
  }
}

const constructorKey = Symbol('constructor key')

// Noncharacters: the portal's texts do not contain them, and escaping does not change them.
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
/** Matches a placeholder in markup and captures its index. */
export const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`)

/** Text that is filled in later (`template.ts`): pages can print it, but not read or compare it. */
export class Placeholder {
  readonly #index: number
  constructor(index: number) {
    this.#index = index
  }
  static markOf(placeholder: Placeholder): string {
    return `${OPEN}${placeholder.#index}${CLOSE}`
  }
}

/** What a template may contain. `undefined` and `false` print nothing, so that `condition && html`…`` works. */
export type HtmlValue = Html | Placeholder | string | number | readonly (Html | false)[] | undefined | false

/** Builds markup; every string and number in it is escaped for text and for quoted attributes. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = literals[0] as string
  for (const [index, value] of values.entries()) {
    markup += render(value) + (literals[index + 1] as string)
  }
  return new Html(markup, constructorKey)
}

/** Uses text as markup without escaping. For this repository's styles, scripts and drawings, never for data. */
export function trusted(markup: string): Html {
  return new Html(markup, constructorKey)
}

function render(value: HtmlValue): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (value instanceof Html) return value.toString()
  if (value instanceof Placeholder) return Placeholder.markOf(value)
  if (typeof value === 'number') return String(value)
  if (value === undefined || value === false) return ''
  // Each item is rendered separately: a list that bypassed the type checker must still be escaped.
  return value.map(render).join('')
}

const SPECIAL = /[&<>"']/

/** Runs for every value on every page. A loop, because `replace` with a pattern is several times slower. */
export function escapeHtml(text: string): string {
  let at = text.search(SPECIAL)
  if (at === -1) return text
  let escaped = ''
  let taken = 0
  for (; at < text.length; at++) {
    const entity = entityOf(text.charCodeAt(at))
    if (entity === '') continue
    escaped += text.slice(taken, at) + entity
    taken = at + 1
  }
  return escaped + text.slice(taken)
}

function entityOf(code: number): string {
  switch (code) {
    case 0x26:
      return '&amp;'
    case 0x3c:
      return '&lt;'
    case 0x3e:
      return '&gt;'
    case 0x22:
      return '&quot;'
    case 0x27:
      return '&#39;'
    default:
      return ''
  }
}
