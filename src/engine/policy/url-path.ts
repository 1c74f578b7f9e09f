// The path of a URL, and the prefixes that a rule can name. Servers read a path in different ways, so it is compared in two
// forms: as written in the URL, and decoded.

export interface UrlPath {
  /** As the URL parser normalised it. */
  readonly raw: string
  /**
   * Percent-decoded once, each byte a character; backslashes as slashes, without parameters (`;…`), empty segments and dot
   * segments.
   */
  readonly decoded: string
}

/** @param rest path, query and fragment, as a Destination has them */
export function pathOf(rest: string): UrlPath {
  const end = rest.search(/[?#]/)
  const path = end === -1 ? rest : rest.slice(0, end)
  if (!/[%;\\]|\/\//.test(path)) return { raw: path, decoded: path }
  return {
    raw: path.replace(/%[0-9a-f]{2}/gi, (encoded) => encoded.toUpperCase()),
    decoded: normalise(path.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))),
  }
}

/** Reads a prefix such as `/shorts`; undefined where it could never match. A slash at its end makes no difference. */
export function parsePathPrefix(text: string): UrlPath | undefined {
  if (!/^\/(?!\/)/.test(text) || /[?#;\\\p{Cc}]/u.test(text)) return undefined
  const path = URL.parse(`http://host${text}`)?.pathname
  if (path === undefined) return undefined
  const { raw, decoded } = pathOf(path)
  return { raw: raw.replace(/\/+$/, ''), decoded: decoded.replace(/\/+$/, '') }
}

/**
 * Whether the path is the prefix or below it, at segment boundaries.
 * @param strict whether both forms have to be, as for what is allowed; otherwise one of them suffices
 */
export function isBelow(path: UrlPath, prefix: UrlPath, strict: boolean): boolean {
  const raw = startsWith(path.raw, prefix.raw)
  const decoded = startsWith(path.decoded, prefix.decoded)
  return strict ? raw && decoded : raw || decoded
}

function startsWith(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}

function normalise(path: string): string {
  const segments: string[] = []
  for (const part of path.replaceAll('\\', '/').split('/')) {
    const [segment = ''] = part.split(';', 1)
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}
