// The directives of the operator's own files for Squid.

/** Squid reads what follows as the next line. */
const MAXIMUM_LINE = 8191

/** `auth_param SCHEME PARAMETER VALUES`. */
interface AuthParam {
  readonly scheme: string | undefined
  readonly parameter: string | undefined
  readonly values: readonly string[]
}

/** @param auth the text of the file of PROXY_AUTH */
export function authParams(auth: string): readonly AuthParam[] {
  return directivesOf(auth).flatMap(([directive, ...words]) => {
    if (directive !== 'auth_param') return []
    const [scheme, parameter, ...values] = words
      .map((word) => Buffer.from(word, 'latin1').toString().replaceAll('"', ''))
      .filter((word) => word !== '')
    return [{ scheme, parameter, values }]
  })
}

/** Each directive's words, in Latin-1. As Squid reads it: a backslash continues the line, also over comments and empty lines. */
export function directivesOf(text: string): readonly (readonly string[])[] {
  const directives: (readonly string[])[] = []
  let directive = ''
  for (const line of text.split('\n').flatMap(piecesOf)) {
    const content = line.replace(/\r.*/s, '').replace(/^[ \t\f\v]+/, '')
    if (/^(#|$)/.test(content)) continue
    directive += content.replace(/\\$/, '')
    if (content.endsWith('\\')) continue
    directives.push(directive.split(/[ \t\f\v]+/))
    directive = ''
  }
  return directives
}

function piecesOf(line: string): readonly string[] {
  const bytes = Buffer.from(line)
  const count = Math.max(1, Math.ceil(bytes.length / MAXIMUM_LINE))
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * MAXIMUM_LINE, (index + 1) * MAXIMUM_LINE).toString('latin1'),
  )
}
