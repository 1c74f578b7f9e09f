// The only door from text to markup: a template that escapes everything it is given.

/** Markup. Only this module makes it. */
export class Html {
  readonly #markup: string
  constructor(markup: string, key: typeof door) {
    if (key !== door) throw new TypeError('markup is made by html`…` and trusted() only')
    this.#markup = markup
  }
  toString(): string {
    return this.#markup
  }
}

const door = Symbol('the door')

// Noncharacters: no text of ours holds them, and escaping leaves them alone.
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
/** Finds the placeholders in markup, each by its index. */
export const MARK = new RegExp(`${OPEN}(\\d+)${CLOSE}`)

/** Text that is filled in later (`template.ts`): it can be printed, and neither read nor compared. */
export class Placeholder {
  readonly #index: number
  constructor(index: number) {
    this.#index = index
  }
  static markOf(placeholder: Placeholder): string {
    return `${OPEN}${placeholder.#index}${CLOSE}`
  }
}

/** What a template may hold: `undefined` and `false` print nothing, so that conditions can stand inside. */
export type HtmlValue = Html | Placeholder | string | number | readonly (Html | false)[] | undefined | false

/** Builds markup; every string and number in it is escaped for text and for quoted attributes. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = literals[0] as string
  for (const [index, value] of values.entries()) {
    markup += render(value) + (literals[index + 1] as string)
  }
  return new Html(markup, door)
}

/** Takes text for markup as it is. For the style, scripts and drawings of this repository, never for data. */
export function trusted(markup: string): Html {
  return new Html(markup, door)
}

function render(value: HtmlValue): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (value instanceof Html) return value.toString()
  if (value instanceof Placeholder) return Placeholder.markOf(value)
  if (typeof value === 'number') return String(value)
  if (value === undefined || value === false) return ''
  // Each by itself: a list that the compiler was talked into must not let text through.
  return value.map(render).join('')
}

const SPECIAL = /[&<>"']/

/** Runs for every value of every page: a loop, because replacing by a pattern costs several times as much. */
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
