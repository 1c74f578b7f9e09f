// What the operator's own files for Squid must not contain: directives that could open what squid.conf closes. Some replace those
// of squid.conf, some would add to them (ports, and values of its access lists), some do not belong there. Squid still accepts the
// older names, too.

import { directivesOf } from './directives.ts'

const OPENING: readonly RegExp[] = [
  /^(include|http_access2?|adapted_http_access|(ascii|http|https|ftp)_port|ssl_bump|on_unsupported_protocol)$/,
  /^((icap|ecap|adaptation|sslproxy)_.*|loadable_modules)$/,
  /^(tls_outgoing_options|sslcrtd_program|sslcrtvalidator_program)$/,
  /^(url_rewrite_program|redirect_program|follow_x_forwarded_for)$/,
  // Squid would read names of access lists without their quotes.
  /^configuration_includes_quoted_values$/,
]

/**
 * The first such directive, or its word that could open something: an annotation that squid.conf relies on.
 * @param text of the operator's file
 * @param template the text of squid.conf
 */
export function openingDirective(text: string, template: string): string | undefined {
  const shipped = directivesOf(template)
  const lists = new Set(shipped.flatMap(([name, list = '']) => (name === 'acl' ? [list.toLowerCase()] : [])))
  const annotations = shipped.flatMap((words) => annotationsOf(words).map((name) => new RegExp(`^\\W*${name}(?!\\w)`)))
  for (const words of directivesOf(text)) {
    const [name = '', list = ''] = words
    // Squid compares their names in any case.
    if (name === 'acl' && lists.has(list.toLowerCase())) return `acl ${list}`
    if (OPENING.some((pattern) => pattern.test(name))) return name
    const annotation = words.find((word) => annotations.some((pattern) => pattern.test(word)))
    if (annotation !== undefined) return annotation
  }
  return undefined
}

/** What annotates requests, and by which names access lists find that. */
function annotationsOf([directive, name, kind, annotation]: readonly string[]): readonly string[] {
  if (directive === 'external_acl_type' && name !== undefined) return [name]
  return directive === 'acl' && kind === 'note' && annotation !== undefined ? [annotation] : []
}
