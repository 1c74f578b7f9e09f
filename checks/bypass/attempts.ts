// Every way in which a request could reach a site without a decision, as the bytes that a client sends: method, where it arrives,
// and target, in each combination. Generated, so that a new value meets all others.
import { isIPv4 } from 'node:net'
import { domainToUnicode } from 'node:url'
import { PORTAL_HOST } from '../../test/proxy/proxy.ts'

/** One thing that the client does on its connection. Steps go on after a response that never comes, or a handshake that fails. */
export type Step =
  | { readonly do: 'dial'; readonly to: 'proxy' | 'site 80' | 'site 443' }
  | { readonly do: 'write'; readonly text: string }
  /** Waits for a response, and for its body. */
  | { readonly do: 'read' }
  /** A TLS handshake on the connection as it is, also within TLS. */
  | { readonly do: 'handshake'; readonly name: string }
  /** Waits until all attempts are here: what comes before happens while the engine works. */
  | { readonly do: 'wait' }

export interface Attempt {
  /** For reports: `CONNECT, in a tunnel to an allowed host, to a blocked host`. */
  readonly name: string
  /** Hosts that this attempt names, each of which no other attempt names. */
  readonly hosts: readonly string[]
  readonly steps: readonly Step[]
  /** Whether it arrives as browsers' requests do. */
  readonly isOrdinary: boolean
  /** The host of a request that must reach its site while the engine works; undefined for all other attempts. */
  readonly reaches: string | undefined
  /** The host with which Squid itself may make a TLS handshake before the decision: redirected https, and nothing within it. */
  readonly handshake: string | undefined
}

const METHODS = ['GET', 'POST', 'CONNECT', 'PRI', 'FROB'] as const
type Method = (typeof METHODS)[number]

/** Domains of targets; a host is one label below. */
export const DOMAINS = {
  allowed: 'news.example',
  // cäsino.example
  blocked: 'xn--csino-gra.example',
  exempt: 'bank.example',
  inside: 'inside.example',
} as const
type Target = keyof typeof DOMAINS | 'portal'
const TARGETS: readonly Target[] = ['allowed', 'blocked', 'exempt', 'portal', 'inside']

/** Of https, in addition to 443: PROXY_CONNECT_PORTS. */
export const CONNECT_PORT = 8443

/** What names the target of a tunnel, or of a TLS handshake, within which the request is sent. */
type Outer = 'the target' | 'an allowed host' | 'an exempt host' | 'a refused port'

interface Arrival {
  readonly name: string
  readonly outer: Outer | undefined
  /** Whether browsers send requests like this. */
  readonly isOrdinary?: true
  /** Whether the host is also written in all other ways. */
  readonly isRespelled?: true
  readonly isTlsRedirected?: true
  /** Of the target; by default each is tried. */
  readonly targets?: readonly Target[]
  /** How the connection begins; `outer` is the host that it names. */
  readonly begin: (outer: string, credentials: string, target: string) => readonly Step[]
  /** The first part of a URL in a request line: empty for a path. */
  readonly forms: readonly ('path' | 'http' | 'https')[]
}

const dial = (to: 'proxy' | 'site 80' | 'site 443'): Step => ({ do: 'dial', to })
const write = (text: string): Step => ({ do: 'write', text })
const handshake = (name: string): Step => ({ do: 'handshake', name })
const READ: Step = { do: 'read' }
const WAIT: Step = { do: 'wait' }
const connectTo = (host: string, credentials = '', port = 443) =>
  `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n${credentials}\r\n`

function tunnel(outer: Outer, port = 443, at = ''): Arrival {
  return {
    name: `in a tunnel to ${outer}${at}`,
    outer,
    begin: (host, credentials) => [dial('proxy'), write(connectTo(host, credentials, port)), READ, handshake(host)],
    forms: ['path', 'http', 'https'],
  }
}

function redirectedTls(outer: Outer): Arrival {
  const begin = (host: string) => [dial('site 443'), handshake(host)]
  const name = `redirected https, with the name of ${outer}`
  return { name, outer, isTlsRedirected: true, begin, forms: ['path', 'https'] }
}

const ARRIVALS: readonly Arrival[] = [
  {
    name: 'plain',
    outer: undefined,
    isOrdinary: true,
    isRespelled: true,
    begin: () => [dial('proxy')],
    forms: ['http', 'https'],
  },
  { ...tunnel('the target'), isOrdinary: true, isRespelled: true },
  { ...tunnel('an allowed host'), isRespelled: true },
  tunnel('the target', CONNECT_PORT, ', on another port'),
  tunnel('an allowed host', CONNECT_PORT, ', on another port'),
  // It is not decrypted, and the site behind the address may serve other hosts. Those that are exempt as well: docs/policy.md.
  {
    name: 'in a tunnel to an exempt host, with the name of the target in the handshake',
    outer: 'an exempt host',
    begin: (host, credentials, target) => [dial('proxy'), write(connectTo(host, credentials)), READ, handshake(target)],
    forms: ['path'],
    targets: ['allowed', 'blocked', 'portal', 'inside'],
  },
  // Squid decrypts it to show why it denies it.
  tunnel('a refused port', 25),
  // To port 80, browsers send `ws://` like this.
  ...[443, CONNECT_PORT, 80].map(
    (port): Arrival => ({
      name: `in a tunnel to port ${port} that is not encrypted`,
      outer: 'the target',
      begin: (host, credentials) => [dial('proxy'), write(connectTo(host, credentials, port))],
      forms: ['path', 'http'],
    }),
  ),
  {
    name: 'redirected http',
    outer: undefined,
    isOrdinary: true,
    isRespelled: true,
    begin: () => [dial('site 80')],
    forms: ['path', 'http', 'https'],
  },
  { ...redirectedTls('the target'), isOrdinary: true, isRespelled: true },
  { ...redirectedTls('an allowed host'), isRespelled: true },
  {
    name: 'redirected https, not encrypted',
    outer: undefined,
    begin: () => [dial('site 443')],
    forms: ['path', 'http'],
  },
]

/**
 * @param credentials a header field for the first request of a connection; empty for none. Further requests have none.
 * @param series different for each table, and part of every host
 * @param addressOf the address to which a host resolves
 */
export function attempts(credentials: string, series: string, addressOf: (host: string) => string): readonly Attempt[] {
  const all: Attempt[] = []
  for (const arrival of ARRIVALS) {
    for (const target of arrival.targets ?? TARGETS) {
      for (const isKept of [false, true]) {
        for (const method of METHODS) {
          for (const final of finals(method, arrival)) {
            all.push(toAttempt(`${series}${all.length}`, { arrival, target, isKept, final, credentials, addressOf }))
          }
        }
      }
    }
  }
  return all
}

interface Final {
  readonly name: string
  /** @param address of the host @param other an allowed host */
  readonly steps: (host: string, credentials: string, address: string, other: string) => readonly Step[]
}

/** Other ways to write the host of a request: in its target, and in its Host where that differs. */
const HOST_SPELLINGS: Readonly<Record<string, (host: string, address: string, other: string) => [string, string?]>> = {
  'in capitals with a dot': (host) => [`${host.toUpperCase()}.`],
  'in Unicode': (host) => [domainToUnicode(host)],
  'by its address': (_, address) => [address],
  'by its address as a number': (_, address) => [numberOf(address)],
  'by its address in IPv6': (_, address) => [`[::ffff:${address}]`],
  'of an allowed host, with it in Host': (host, _, other) => [other, host],
  'with an allowed host in Host': (host, _, other) => [host, other],
}

/** Other ways to write a CONNECT, given an ordinary one. */
const SPELLINGS: Readonly<Record<string, (connect: string, host: string, address: string) => string>> = {
  'in small letters': (connect) => connect.replace('CONNECT', 'connect'),
  'with a body': (connect) => `${connect.replace(/\r\n$/, 'Content-Length: 4\r\n\r\n')}body`,
  'of a URL': (connect) => connect.replace(/ (\S+) HTTP/, ' https://$1/ HTTP'),
  'of a name in capitals with a dot': (connect, host) => connect.replaceAll(host, `${host.toUpperCase()}.`),
  'of an address': (connect, host, address) => connect.replaceAll(host, address),
  'without Host': (connect) => connect.replace(/^Host: .*\r\n/m, ''),
  'with a Host without port': (connect, host) => connect.replace(/^Host: .*(?=\r)/m, `Host: ${host}`),
}

/**
 * Requests whose beginning or end may be read in more than one way, and targets that are no URL of http.
 * @param urlOf what the request line has for a host: a URL, or a path
 */
const FRAMINGS: Readonly<
  Record<string, (host: string, credentials: string, other: string, urlOf: (host: string) => string) => string>
> = {
  'behind another request, without waiting': (host, credentials, other, urlOf) =>
    request('GET', urlOf(other), other, credentials) + request('GET', urlOf(host), host, credentials),
  'in the body of another request, by one of two lengths': (host, credentials, other, urlOf) => {
    const hidden = `0\r\n\r\n${request('GET', urlOf(host), host, credentials)}`
    const lengths = `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n`
    return `POST ${urlOf(other)} HTTP/1.1\r\nHost: ${other}\r\n${lengths}${credentials}\r\n${hidden}`
  },
  'in HTTP/0.9': (host, _credentials, _other, urlOf) => `GET ${urlOf(host)}\r\n\r\n`,
  'with ftp': (host, credentials) => request('GET', `ftp://${host}/`, host, credentials),
  'of a URN': (host, credentials) => request('GET', `urn:${host}`, host, credentials),
}

/** Within an opaque tunnel, its host stands for its address. */
function numberOf(address: string): string {
  return isIPv4(address) ? `${Buffer.from(address.split('.').map(Number)).readUInt32BE()}` : address
}

/** The last request; for CONNECT, also what is sent through the tunnel that it asks for. */
function finals(method: Method, arrival: Arrival): readonly Final[] {
  const { forms } = arrival
  if (method === 'CONNECT') {
    const inTls = ['GET', 'POST', 'FROB', 'CONNECT'].map((inner) => ({
      name: `CONNECT, then TLS, then ${inner}`,
      steps: (host: string, credentials: string) => [
        ...[write(connectTo(host, credentials)), READ, handshake(host)],
        write(inner === 'CONNECT' ? connectTo(host) : request(inner, `/`, host, '')),
        ...(inner === 'CONNECT' ? [READ, handshake(host), write(request('GET', '/', host, ''))] : []),
        READ,
      ],
    }))
    const respelled = Object.entries(SPELLINGS).map(([spelling, spell]) => ({
      name: `CONNECT ${spelling}, then TLS, then GET`,
      steps: (host: string, credentials: string, address: string) => [
        ...[write(spell(connectTo(host, credentials), host, address)), READ, handshake(host)],
        ...[write(request('GET', '/', host, '')), READ],
      ],
    }))
    const raw = [443, CONNECT_PORT, 80].map((port) => ({
      name: `CONNECT to port ${port}, then http without waiting`,
      steps: (host: string, credentials: string) => [
        write(connectTo(host, credentials, port) + request('GET', '/', host, '')),
        READ,
      ],
    }))
    return [...inTls, ...respelled, ...raw]
  }
  if (method === 'PRI') {
    const preface = (host: string) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${request('GET', '/', host, '')}`
    return [
      { name: 'the preface of HTTP/2, then http', steps: (host) => [write(preface(host)), READ] },
      {
        name: 'PRI of a URL',
        steps: (host, credentials) => [write(request('PRI', `http://${host}/`, host, credentials)), READ],
      },
    ]
  }
  const respelled = method === 'GET' && arrival.isRespelled ? Object.entries(HOST_SPELLINGS) : []
  const spelled = respelled.flatMap(([spelling, spell]) =>
    forms
      .filter((form) => form !== 'https')
      .map(
        (form): Final => ({
          name: `GET of ${form === 'path' ? 'a path' : 'a URL'} ${spelling}`,
          steps: (host, credentials, address, other) => {
            const [inTarget, inHost = inTarget] = spell(host, address, other)
            const target = form === 'path' ? '/' : `http://${inTarget}/`
            return [write(request(method, target, inHost, credentials)), READ]
          },
        }),
      ),
  )
  const ordinary = forms.map(
    (form): Final => ({
      name: `${method} of ${form === 'path' ? 'a path' : `a URL with ${form}`}`,
      steps: (host, credentials) => {
        const target = form === 'path' ? '/' : `${form}://${host}/`
        return [write(request(method, target, host, credentials)), READ]
      },
    }),
  )
  const framings = method === 'GET' && arrival.isRespelled ? Object.entries(FRAMINGS) : []
  const framed = framings.flatMap(([framing, frame]) =>
    forms
      .filter((form) => form !== 'https')
      .map(
        (form): Final => ({
          name: `GET of ${form === 'path' ? 'a path' : 'a URL'} ${framing}`,
          steps: (host, credentials, _address, other) => {
            // A request in HTTP/0.9 has no Host: its path names where it is sent, so that a site's bytes show it.
            const receiver = arrival.outer === 'an allowed host' ? other : host
            const urlOf = (of: string) => {
              if (form === 'http') return `http://${of}/`
              return framing === 'in HTTP/0.9' ? `/${receiver}` : '/'
            }
            return [write(frame(host, credentials, other, urlOf)), READ, READ]
          },
        }),
      ),
  )
  return [...ordinary, ...spelled, ...framed]
}

function request(method: string, target: string, host: string, credentials: string): string {
  const length = method === 'GET' ? '' : 'Content-Length: 4\r\n'
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${length}${credentials}\r\n${method === 'GET' ? '' : 'body'}`
}

interface Combination {
  readonly arrival: Arrival
  readonly target: Target
  /** Whether the connection has had an allowed request before. */
  readonly isKept: boolean
  readonly final: Final
  readonly credentials: string
  readonly addressOf: (host: string) => string
}

function toAttempt(id: string, combination: Combination): Attempt {
  const { arrival, target, isKept, final, credentials, addressOf } = combination
  const host = target === 'portal' ? PORTAL_HOST : `a${id}.${DOMAINS[target]}`
  // Within the tunnel of an exempt host, which is decided as a whole, no other host is named.
  const isOpaque = target === 'exempt' && arrival.outer === 'the target'
  const before = isOpaque ? host : `b${id}.${DOMAINS[arrival.outer === 'an exempt host' ? 'exempt' : 'allowed']}`
  const outer = arrival.outer === 'the target' ? host : before
  const isPlain = arrival.outer === undefined
  // Redirected requests never have any.
  const given = arrival.name === 'plain' ? credentials : ''
  const first = isKept ? [write(request('GET', isPlain ? `http://${before}/` : '/', before, given)), READ] : []
  const steps = [
    ...arrival.begin(outer, credentials, host),
    ...first,
    WAIT,
    ...final.steps(host, given, isOpaque ? host : addressOf(host), before),
  ]
  const form = arrival.forms.includes('path') ? 'a path' : 'a URL with http'
  const isOrdinary = arrival.isOrdinary && !isKept && final.name === `GET of ${form}`
  return {
    name: `${final.name}, ${arrival.name}${isKept ? ', after an allowed request' : ''}, to ${target}`,
    hosts: [host, before],
    steps,
    isOrdinary: arrival.isOrdinary ?? false,
    reaches: isOrdinary && target === 'allowed' ? host : undefined,
    handshake: arrival.isTlsRedirected ? outer : undefined,
  }
}
