// The path of a URL, and the prefixes that a rule can name. The visitor chooses how a path is spelled, and servers read it in
// different ways, so a prefix is compared with every way in which servers may read it.

/** Every way in which servers may read a path. Decoded bytes are characters. */
export interface Readings {
  /** First as it was sent. */
  readonly all: readonly [sent: string, ...others: string[]]
  /** The same without case, as text: many servers ignore it. */
  readonly folded: readonly string[]
}

/** `'ambiguous'` for a path that browsers resolve before they send it, or that has more readings than are compared. */
export type UrlPath = Readings | 'ambiguous'

/** In any spelling that browsers resolve; they do send `..%2f` and `..;`. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i
/** What browsers send percent-encoded, and encodings in small letters: respelled, not read differently. */
const RESPELLED = /[\x20"<>^`{|}\x7f]|%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/g
const HAS_ONE_READING = /^(?!.*\/\/)[^%;]*$/

/** Far more than links need. A path of 8 KB that is made to have many readings costs about a millisecond. */
const MAXIMUM_READINGS = 128
const MAXIMUM_CHARACTERS = 32 * 1024

const [PERCENT, SLASH, BACKSLASH] = [0x25, 0x2f, 0x5c]

/** What a server may do with a path, in any order; what it passes on, the next server may read likewise. */
const STEPS: readonly ((path: string) => string)[] = [
  (path) => path.replace(/;[^/]*/g, ''),
  (path) => decode(path, () => true),
  // Apache and Tomcat can be set to keep an encoded slash.
  (path) => decode(path, (byte) => byte !== SLASH && byte !== BACKSLASH),
  (path) => path.split('\0', 1)[0] as string,
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replace(/\/{2,}/g, '/'),
  resolveDotSegments,
]

/** @param target path and query, as a DecisionRequest has them */
export function pathOf(target: string): UrlPath {
  const path = sentPathOf(target)
  return path.includes('\\') || DOT_SEGMENT.test(path) ? 'ambiguous' : readingsOf(path)
}

/** The path of a target as it was sent. */
export function sentPathOf(target: string): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

/** Reads a prefix such as `/shorts`; undefined where it could never match. A slash at its end makes no difference. */
export function parsePathPrefix(text: string): Readings | undefined {
  if (!/^\/(?!\/)/.test(text) || /[?#;*\\\p{Cc}]/u.test(text)) return undefined
  const path = URL.parse(`http://host${text}`)?.pathname
  if (path === undefined) return undefined
  const readings = readingsOf(path)
  if (readings === 'ambiguous') return undefined
  const [sent, ...others] = readings.all.map((reading) => reading.replace(/\/+$/, ''))
  return withFolded([sent as string, ...others])
}

/**
 * Whether the path is the prefix or below it, at segment boundaries.
 * @param strict whether every reading has to be, in the same case, and the path as sent below the prefix as written, as for
 *   what is allowed; otherwise one reading suffices, in any case
 */
export function isBelow(path: Readings, prefix: Readings, strict: boolean): boolean {
  if (!strict) return path.folded.some((reading) => prefix.folded.some((one) => startsWith(reading, one)))
  const isRead = (reading: string) => prefix.all.some((one) => startsWith(reading, one))
  return startsWith(path.all[0], prefix.all[0]) && path.all.every(isRead)
}

function startsWith(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}

function readingsOf(path: string): UrlPath {
  const sent = path.replace(RESPELLED, (part) => (part[0] === '%' ? part.toUpperCase() : encodeURIComponent(part)))
  if (HAS_ONE_READING.test(sent)) return withFolded([sent])
  const readings = new Set([sent])
  let characters = 0
  // This also visits the readings that are added meanwhile.
  for (const reading of readings) {
    characters += reading.length
    if (readings.size > MAXIMUM_READINGS || characters > MAXIMUM_CHARACTERS) return 'ambiguous'
    for (const step of STEPS) readings.add(step(reading))
  }
  const [, ...others] = readings
  return withFolded([sent, ...others])
}

function withFolded(all: Readings['all']): Readings {
  return { all, folded: [...new Set(all.map(foldCase))] }
}

/** By way of the capitals, for letters that have several small ones; İ, too, is an i. Composed: some file systems compare so. */
function foldCase(reading: string): string {
  // Saves a microsecond of each request.
  if (/^[\0-\x7f]*$/.test(reading)) return reading.toLowerCase()
  const folded = Buffer.from(reading, 'latin1').toString().toUpperCase().toLowerCase()
  return folded.replaceAll('i\u0307', 'i').normalize('NFC')
}

/** Percent-decodes it once. */
function decode(path: string, isDecoded: (byte: number) => boolean): string {
  if (!path.includes('%')) return path
  const bytes = Buffer.from(path, 'latin1')
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    const encoded = byte === PERCENT ? (hexDigit(bytes[at + 1]) << 4) | hexDigit(bytes[at + 2]) : -1
    const isEncoded = encoded >= 0 && isDecoded(encoded)
    bytes[length++] = isEncoded ? encoded : byte
    if (isEncoded) at += 2
  }
  return bytes.toString('latin1', 0, length)
}

/** Its value; negative for what is none. */
function hexDigit(unit = 0): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = unit & ~0x20
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : -1
}

/** As RFC 3986 does (section 5.2.4), for which an empty segment is one, too. */
function resolveDotSegments(path: string): string {
  if (!path.includes('/.')) return path
  const resolved: string[] = []
  const segments = path.slice(1).split('/')
  for (const [at, segment] of segments.entries()) {
    if (segment !== '.' && segment !== '..') resolved.push(segment)
    else {
      if (segment === '..') resolved.pop()
      if (at === segments.length - 1) resolved.push('')
    }
  }
  return `/${resolved.join('/')}`
}
