// A strict parser for the portal's pages: anything that a careful template would not write is an error, so that untrusted
// text cannot add an element or attribute unnoticed.

export interface Element {
  readonly name: string
  /** Decoded. */
  readonly attributes: Readonly<Record<string, string>>
  /** Text is decoded, except in style and script, where it is the exact text between the tags. */
  readonly children: readonly (Element | string)[]
}

interface OpenElement extends Element {
  readonly children: (Element | string)[]
}

const DOCTYPE = '<!doctype html>\n'
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z0-9-]*(?:="[^"<>]*")?)*)(\/?)>/y
const ATTRIBUTE = / ([a-zA-Z][a-zA-Z0-9-]*)(?:="([^"]*)")?/g
const REFERENCE = /&(?:(amp|lt|gt|quot|#39);)?/g
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const VOID = new Set(['meta', 'link', 'img', 'input', 'br', 'hr', 'wbr'])
const RAW = new Set(['style', 'script'])

/**
 * Parses a complete page and returns its `html` element.
 * @throws {Error} at the first character that is not well-formed, at an attribute that occurs twice, and at a tag that
 * is not closed
 */
export function parsePage(page: string): Element {
  if (!page.startsWith(DOCTYPE)) throw new Error('the page does not begin with its document type')
  const root: OpenElement = { name: '', attributes: {}, children: [] }
  const open = [root]
  const top = () => open.at(-1) as OpenElement
  for (let at = DOCTYPE.length; at < page.length; ) {
    const next = page.indexOf('<', at)
    const text = page.slice(at, next === -1 ? page.length : next)
    if (text.includes('>')) throw malformed(page, at)
    if (text !== '') top().children.push(decode(text))
    if (next === -1) break

    TAG.lastIndex = next
    const [tag, closing, name = '', attributes = '', selfClosing] = TAG.exec(page) ?? []
    if (tag === undefined) throw malformed(page, next)
    at = next + tag.length
    if (closing) {
      if (attributes !== '' || selfClosing || open.pop()?.name !== name) throw malformed(page, next)
      continue
    }
    const element: OpenElement = { name, attributes: parseAttributes(attributes), children: [] }
    top().children.push(element)
    if (RAW.has(name)) {
      const end = page.indexOf(`</${name}>`, at)
      if (end === -1) throw malformed(page, next)
      element.children.push(page.slice(at, end))
      at = end + name.length + 3
    } else if (!VOID.has(name) && !selfClosing) {
      open.push(element)
    }
  }
  if (open.length > 1) throw new Error(`<${top().name}> is not closed`)
  const [html, ...more] = root.children.filter((child) => typeof child === 'object' || child.trim() !== '')
  if (typeof html !== 'object' || html.name !== 'html' || more.length > 0) throw new Error('not one html element')
  return html
}

/** All descendants with that name, in document order. */
export function elements(root: Element, name: string): Element[] {
  return root.children.flatMap((child) => {
    if (typeof child === 'string') return []
    return [...(child.name === name ? [child] : []), ...elements(child, name)]
  })
}

/** The only element with this attribute and value. @throws {Error} when there is none, or more than one */
export function only(root: Element, attribute: string, value: string): Element {
  const found = all(root).filter(({ attributes }) => attributes[attribute] === value)
  if (found.length !== 1) throw new Error(`${found.length} elements have ${attribute}="${value}"`)
  return found[0] as Element
}

/** All text except that of style and script. */
export function textOf({ name, children }: Element): string {
  if (RAW.has(name)) return ''
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('')
}

/** Elements and attribute names, without text and values: injected markup would change them. */
export function skeleton({ name, attributes, children }: Element): string {
  const inside = children.map((child) => (typeof child === 'string' ? '' : skeleton(child))).join('')
  return `<${[name, ...Object.keys(attributes)].join(' ')}>${inside}</${name}>`
}

/** All attributes, with their elements. */
export function attributesOf(root: Element): { element: string; name: string; value: string }[] {
  return all(root).flatMap((element) =>
    Object.entries(element.attributes).map(([name, value]) => ({ element: element.name, name, value })),
  )
}

function all(root: Element): Element[] {
  return [root, ...root.children.flatMap((child) => (typeof child === 'string' ? [] : all(child)))]
}

function parseAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE)) {
    if (Object.hasOwn(attributes, name)) throw new Error(`attribute ${name} occurs twice`)
    attributes[name] = decode(value)
  }
  return attributes
}

function decode(text: string): string {
  return text.replace(REFERENCE, (reference, name: string | undefined) => {
    if (name === undefined) throw new Error(`a bare & in: ${text}`)
    return CHARACTERS[name] ?? reference
  })
}

function malformed(page: string, at: number): Error {
  return new Error(`not well-formed at: ${page.slice(Math.max(0, at - 40), at + 60)}`)
}
