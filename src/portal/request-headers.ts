// The request headers that the portal looks at, taken from what came over the wire. Node's own `headers` reads them all,
// which costs more than opening a page's template.

const NAMES = [
  'accept-language',
  'content-encoding',
  'content-length',
  'cookie',
  'host',
  'purpose',
  'sec-fetch-dest',
  'sec-fetch-site',
  'sec-purpose',
  'transfer-encoding',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-override-code',
] as const

/** Values as they came; those of one name are joined, as RFC 9110 (section 5.2) and, for cookies, RFC 9113 have it. */
export type RequestHeaders = Readonly<Record<(typeof NAMES)[number], string | undefined>>

/** Places in NAMES by the length of the name: most names are told apart by that alone. */
const PLACES = new Map<number, number[]>()
for (const [place, { length }] of NAMES.entries()) PLACES.set(length, [...(PLACES.get(length) ?? []), place])

/** @param raw name, value, name, … in any case */
export function readHeaders(raw: readonly string[]): RequestHeaders {
  const values: (string | undefined)[] = new Array(NAMES.length).fill(undefined)
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string
    const places = PLACES.get(name.length)
    if (places === undefined) continue
    const lowered = name.toLowerCase()
    for (const place of places) {
      if (NAMES[place] !== lowered) continue
      const before = values[place]
      const value = raw[index + 1] as string
      values[place] = before === undefined ? value : `${before}${lowered === 'cookie' ? '; ' : ', '}${value}`
    }
  }
  return {
    'accept-language': values[0],
    'content-encoding': values[1],
    'content-length': values[2],
    cookie: values[3],
    host: values[4],
    purpose: values[5],
    'sec-fetch-dest': values[6],
    'sec-fetch-site': values[7],
    'sec-purpose': values[8],
    'transfer-encoding': values[9],
    'x-forwarded-for': values[10],
    'x-forwarded-proto': values[11],
    'x-override-code': values[12],
  }
}
