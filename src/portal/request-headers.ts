// The request headers that the portal and Node's server look at, taken from what came over the wire. Node's own reading
// of them all, which its server asks for at every request, costs more than filling a page.
import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'

const NAMES = [
  'accept-language',
  'content-encoding',
  'content-length',
  'cookie',
  // Read by Node's server.
  'expect',
  'host',
  'if-none-match',
  'purpose',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-site',
  'sec-purpose',
  'transfer-encoding',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-override-code',
] as const

type Name = (typeof NAMES)[number]

/** Values as they came; those of one name are joined, as RFC 9110 (section 5.2) and, for cookies, RFC 9113 have it. */
export type RequestHeaders = Readonly<Record<Name, string | undefined>>

/** Places in NAMES by the length of the name: most names are told apart by that alone. */
const PLACES: (readonly number[] | undefined)[] = []
for (const [place, { length }] of NAMES.entries()) PLACES[length] = [...(PLACES[length] ?? []), place]

/** A request whose `headers` are these and no others. */
export class PortalRequest extends IncomingMessage {
  #headers: RequestHeaders | undefined = undefined

  static {
    Object.defineProperty(PortalRequest.prototype, 'headers', {
      get(this: PortalRequest): RequestHeaders & IncomingHttpHeaders {
        this.#headers ??= readHeaders(this.rawHeaders)
        return this.#headers
      },
    })
  }

  declare readonly headers: RequestHeaders & IncomingHttpHeaders
}

/** @param raw name, value, name, … in any case */
export function readHeaders(raw: readonly string[]): RequestHeaders {
  const values: (string | undefined)[] = new Array(NAMES.length).fill(undefined)
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string
    const places = PLACES[name.length]
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
    expect: values[4],
    host: values[5],
    'if-none-match': values[6],
    purpose: values[7],
    'sec-ch-ua-platform': values[8],
    'sec-fetch-dest': values[9],
    'sec-fetch-site': values[10],
    'sec-purpose': values[11],
    'transfer-encoding': values[12],
    'user-agent': values[13],
    'x-forwarded-for': values[14],
    'x-forwarded-proto': values[15],
    'x-override-code': values[16],
  }
}
