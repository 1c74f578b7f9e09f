// The head of an ICAP request (RFC 3507, section 4.3).
import type { OrReason } from '../or-reason.ts'
import { firstLineOf, visitFields } from './head-fields.ts'
import { MAXIMUM_HEAD_BYTES } from './limits.ts'

export interface IcapHead {
  readonly method: string
  /** The path of the ICAP URI, which may contain the token. */
  readonly path: string
  /** X-Engine-Token. */
  readonly token: string | undefined
  /** X-Client-IP. */
  readonly clientAddress: string | undefined
  /** X-Client-Username, one character per byte. */
  readonly username: string | undefined
  /** X-Authenticated-User. */
  readonly authenticatedUser: string | undefined
  /** X-Handshake: of a request in redirected https, the address that the client has dialled, and the name in its TLS handshake. */
  readonly handshake: Handshake | undefined
  /** X-Host, one a host: what the service `/hosts` is asked about. */
  readonly hosts: readonly string[]
  /** Whether the client accepts 204 without a preview. */
  readonly allows204: boolean
  /** The most bytes of the body that come before the response; undefined without a preview. */
  readonly preview: number | undefined
  /** Whether the client closes the connection after this request. */
  readonly closes: boolean
  /** What follows the head; undefined for nothing. */
  readonly encapsulated: Encapsulated | undefined
}

export interface Handshake {
  readonly address: string
  /** Undefined where the client has sent none. */
  readonly name: string | undefined
}

interface Encapsulated {
  /** Bytes of the HTTP head. */
  readonly httpBytes: number
  readonly hasBody: boolean
}

/** What the client did wrong, for the person who configures it. */
export interface IcapProblem {
  readonly status: 400 | 403 | 404 | 405 | 408 | 500 | 501 | 505
  readonly reason: string
}

const REQUEST_LINE = /^([A-Z]{1,32}) ([\x21-\x7e]+) ICAP\/([0-9]\.[0-9])$/
const URI = /^(?:icaps?:\/\/[^/?#]+)?(\/[^?#]*)?(?:\?[^#]*)?$/i
const SECTION = /^[ \t]*([a-z-]{1,32})[ \t]*=[ \t]*([0-9]{1,7})[ \t]*$/i
/** More than any valid field has: the rest need not be read. */
const MAXIMUM_SECTIONS = 4
const LEAST_HTTP_BYTES = 18
const MAXIMUM_PREVIEW_BYTES = 1024 * 1024

/** Header fields that determine who requests what: a repeated one would be ambiguous. */
const ONCE = new Set([
  'encapsulated',
  'preview',
  'x-engine-token',
  'x-client-ip',
  'x-client-username',
  'x-authenticated-user',
  'x-handshake',
])

/** @param text the head with its empty line; one character per byte */
export function parseIcapHead(text: string): OrReason<IcapHead, IcapProblem> {
  const [, method, uri = '', version] = REQUEST_LINE.exec(firstLineOf(text)) ?? []
  if (method === undefined) return malformed('not an ICAP request')
  if (version !== '1.0') return { status: 505, reason: 'only ICAP/1.0 is supported' }
  const [isUri, path = '/'] = URI.exec(uri) ?? []
  if (isUri === undefined) return malformed('not an ICAP URI')

  const fields = new Map<string, string>()
  const hosts: string[] = []
  let repeated: string | undefined
  let allows204 = false
  let closes = false
  const fault = visitFields(text, (name, value) => {
    if (name === 'allow') allows204 ||= listHas(value, '204')
    else if (name === 'x-host') hosts.push(value)
    else if (name === 'connection') closes ||= listHas(value.toLowerCase(), 'close')
    else if (ONCE.has(name)) {
      if (fields.has(name)) repeated = name
      fields.set(name, value)
    }
  })
  if (fault !== undefined) return malformed(fault)
  if (repeated !== undefined) return malformed(`${repeated} appears more than once`)

  const handshake = parseHandshake(fields.get('x-handshake'))
  if (handshake === 'malformed') return malformed('X-Handshake must be an address, and a name or "-"')
  const preview = fields.get('preview')
  if (preview !== undefined && !isPreview(preview)) {
    return malformed(`Preview must be a number of at most ${MAXIMUM_PREVIEW_BYTES}`)
  }
  const parsed = parseEncapsulated(method, fields.get('encapsulated'))
  if (parsed.reason !== undefined) return malformed(parsed.reason)
  return {
    method,
    path,
    token: fields.get('x-engine-token'),
    clientAddress: fields.get('x-client-ip'),
    username: fields.get('x-client-username'),
    authenticatedUser: fields.get('x-authenticated-user'),
    handshake,
    hosts,
    allows204,
    preview: preview === undefined ? undefined : Number(preview),
    closes,
    encapsulated: parsed.encapsulated,
  }
}

/** Whether nothing follows the head of a request with this method. HOSTS is our own (RFC 3507, section 4.3.2). */
export function isWithoutHttp(method: string): boolean {
  return method === 'OPTIONS' || method === 'HOSTS'
}

export function malformed(reason: string): IcapProblem {
  return { status: 400, reason }
}

function isPreview(value: string): boolean {
  return /^[0-9]{1,7}$/.test(value) && Number(value) <= MAXIMUM_PREVIEW_BYTES
}

function parseHandshake(value: string | undefined): Handshake | 'malformed' | undefined {
  if (value === undefined) return undefined
  const [, address, name] = /^([0-9a-f:.]+) (\S+)$/i.exec(value) ?? []
  if (address === undefined) return 'malformed'
  return { address, name: name === '-' ? undefined : name }
}

/** Undefined where nothing follows the head, and for methods that are not supported. */
function parseEncapsulated(method: string, value: string | undefined): OrReason<Pick<IcapHead, 'encapsulated'>> {
  const sections = parseSections(value ?? '')
  const isBodiless = sections?.size === 1 && sections.get('null-body') === 0
  if (isWithoutHttp(method)) {
    return value === undefined || isBodiless ? { encapsulated: undefined } : { reason: `${method} must have no body` }
  }
  if (method !== 'REQMOD') return { encapsulated: undefined }
  const body = sections?.get('req-body')
  const httpBytes = body ?? sections?.get('null-body')
  if (sections?.size !== 2 || sections.get('req-hdr') !== 0 || httpBytes === undefined) {
    return { reason: 'Encapsulated must be "req-hdr=0, req-body=N" or "req-hdr=0, null-body=N"' }
  }
  if (httpBytes < LEAST_HTTP_BYTES) return { reason: 'Encapsulated names an HTTP head that is too short' }
  if (httpBytes > MAXIMUM_HEAD_BYTES) {
    return { reason: `Encapsulated names an HTTP head of more than ${MAXIMUM_HEAD_BYTES} bytes` }
  }
  return { encapsulated: { httpBytes, hasBody: body !== undefined } }
}

/** Offsets by name, in any order: they are unambiguous. Undefined where one is invalid, or named twice. */
function parseSections(value: string): ReadonlyMap<string, number> | undefined {
  const sections = new Map<string, number>()
  for (const member of value.split(',', MAXIMUM_SECTIONS)) {
    const [, name = '', offset] = SECTION.exec(member) ?? []
    if (offset === undefined || sections.has(name.toLowerCase())) return undefined
    sections.set(name.toLowerCase(), Number(offset))
  }
  return sections
}

function listHas(value: string, member: string): boolean {
  return value === member || value.split(',').some((one) => one.trim() === member)
}
