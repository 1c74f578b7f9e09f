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

/** What a template may hold: `undefined` and `false` leave nothing behind, so that conditions can stand inside. */
export type HtmlValue = Html | string | number | readonly (Html | false)[] | undefined | false

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
  if (typeof value === 'number') return String(value)
  if (value === undefined || value === false) return ''
  // Each by itself: a list that the compiler was talked into must not let text through.
  return value.map(render).join('')
}

const SPECIAL = /[&<>"']/
const SPECIALS = /[&<>"']/g
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, (character) => ENTITIES[character] as string) : text
}
