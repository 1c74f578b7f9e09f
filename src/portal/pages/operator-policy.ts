// The policy that the operator has written: each thing of its tree has one piece of markup here, and there is no other.
import type { PolicyNode } from '../../aup/markdown.ts'
import type { PolicyText } from '../../aup/policy-text.ts'
import type { Locale } from '../../config/locales.ts'
import { type Html, html } from '../html/html.ts'
import type { Messages } from '../i18n/en.ts'

/** @param page the language of the page around it */
export function operatorPolicy(
  { nodes, locale }: Pick<PolicyText, 'nodes' | 'locale'>,
  page: Locale,
  { policyHeading }: Messages['aup'],
): Html {
  const titled = hasTitle(nodes)
  const levelOf = createOutline(titled ? 2 : 3)
  return html`${!titled && html`<h2>${policyHeading}</h2>`}
<div${locale !== page && html` lang="${locale}"`}>
${nodes.map((node) => render(node, levelOf))}</div>`
}

/** The page's level for a heading of this level of the text; to be asked in the order of the headings. */
type Outline = (level: number) => number

function render(node: PolicyNode, levelOf: Outline): Html {
  if (typeof node === 'string') return html`${node}`
  // Before what is inside: a heading comes before those below it.
  const level = node.kind === 'heading' && levelOf(node.level)
  const inside = node.children.map((child) => render(child, levelOf))
  switch (node.kind) {
    case 'heading':
      return html`<h${level}>${inside}</h${level}>\n`
    case 'paragraph':
      return html`<p>${inside}</p>\n`
    case 'bullets':
      return html`<ul>${inside}</ul>\n`
    case 'numbers':
      return html`<ol${node.start !== 1 && html` start="${node.start}"`}>${inside}</ol>\n`
    case 'item':
      return html`<li>${inside}</li>\n`
    case 'quote':
      return html`<blockquote>${inside}</blockquote>\n`
    case 'emphasis':
      return html`<em>${inside}</em>`
    case 'strong':
      return html`<strong>${inside}</strong>`
    case 'code':
      return html`<code>${inside}</code>`
    case 'break':
      return html`<br>`
    case 'link':
      return html`<a href="${node.href}" rel="noopener noreferrer">${inside}</a>`
  }
}

/** Whether the text begins with its title: a heading that every other one is below. */
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

/** Puts headings below the page's own, each one level below the heading that it belongs to: none is skipped. */
function createOutline(highest: number): Outline {
  const above: number[] = []
  return (level) => {
    while ((above.at(-1) ?? 0) >= level) above.pop()
    above.push(level)
    return Math.min(highest + above.length - 1, 6)
  }
}
