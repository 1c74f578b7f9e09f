// Renders the operator's texts. Each kind of node has fixed markup here; nothing else reaches the page.
import type { PolicyNode } from '../../aup/markdown.ts'
import type { PolicyText } from '../../aup/policy-text.ts'
import { type Html, html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { languageAttributes } from './i18n/catalogue.ts'
import type { Messages } from './i18n/en.ts'

/** @param page the language of the surrounding page */
export function operatorPolicy(
  { nodes, locale }: Pick<PolicyText, 'nodes' | 'locale'>,
  page: Locale,
  { policyHeading }: Messages['aup'],
): Html {
  const titled = hasTitle(nodes)
  return html`${!titled && html`<h2>${policyHeading}</h2>`}
${operatorText({ nodes, locale }, page, titled ? 2 : 3)}`
}

/**
 * @param page the language of the surrounding page
 * @param highest the level of its highest headings
 */
export function operatorText(
  { nodes, locale }: Pick<PolicyText, 'nodes' | 'locale'>,
  page: Locale,
  highest: number,
): Html {
  const levelOf = createOutline(highest)
  return html`<div${locale !== page && languageAttributes(locale, page)}>
${nodes.map((node) => render(node, levelOf))}</div>`
}

/** Maps a heading level of the text to one of the page. Call it in the order of the headings. */
type Outline = (level: number) => number

function render(node: PolicyNode, levelOf: Outline): Html {
  if (typeof node === 'string') return html`${node}`
  // Before the children, because the outline depends on the order.
  const level = node.kind === 'heading' && levelOf(node.level)
  const content = node.children.map((child) => render(child, levelOf))
  switch (node.kind) {
    case 'heading':
      return html`<h${level}>${content}</h${level}>\n`
    case 'paragraph':
      return html`<p>${content}</p>\n`
    case 'bullets':
      return html`<ul>${content}</ul>\n`
    case 'numbers':
      return html`<ol${node.start !== 1 && html` start="${node.start}"`}>${content}</ol>\n`
    case 'item':
      return html`<li>${content}</li>\n`
    case 'quote':
      return html`<blockquote>${content}</blockquote>\n`
    case 'emphasis':
      return html`<em>${content}</em>`
    case 'strong':
      return html`<strong>${content}</strong>`
    case 'code':
      return html`<code translate="no">${content}</code>`
    case 'break':
      return html`<br>`
    case 'link':
      return html`<a href="${node.href}" rel="noopener noreferrer">${content}</a>`
  }
}

/** Whether the text begins with its title: a heading above all others. */
function hasTitle(nodes: readonly PolicyNode[]): boolean {
  const [first] = nodes
  if (typeof first !== 'object' || first.kind !== 'heading') return false
  const [title, ...others] = headingLevels(nodes) as [number, ...number[]]
  return others.every((level) => level > title)
}

function headingLevels(nodes: readonly PolicyNode[]): number[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return []
    return node.kind === 'heading' ? [node.level] : headingLevels(node.children)
  })
}

/** Shifts headings below the page's own, each one level below its parent, so that no level is skipped. */
function createOutline(highest: number): Outline {
  const above: number[] = []
  return (level) => {
    while ((above.at(-1) ?? 0) >= level) above.pop()
    above.push(level)
    return Math.min(highest + above.length - 1, 6)
  }
}
