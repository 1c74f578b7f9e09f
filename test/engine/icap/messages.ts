// ICAP messages as clients send them; a character is a byte.

export const TOKEN = 'token-for-the-proxy-0123'

interface Message {
  /** The HTTP head, or its target. */
  readonly http?: string
  /** In chunks; undefined for none. */
  readonly body?: string | undefined
  /** Further lines of the ICAP head. */
  readonly fields?: readonly string[]
  readonly uri?: string
  /** In place of X-Engine-Token and X-Client-IP. */
  readonly identity?: readonly string[]
  readonly encapsulated?: string
}

export const IDENTITY = [`X-Engine-Token: ${TOKEN}`, 'X-Client-IP: 198.51.100.7']

/** An HTTP head for this URL. */
export function get(url: string, method = 'GET'): string {
  return `${method} ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept: */*\r\n\r\n`
}

export function reqmod({ http = get('http://open.example/'), body, fields = [], ...message }: Message = {}): string {
  const { uri = 'icap://127.0.0.1:1344/reqmod', identity = IDENTITY } = message
  const encapsulated = message.encapsulated ?? `req-hdr=0, ${body === undefined ? 'null' : 'req'}-body=${http.length}`
  const lines = [`REQMOD ${uri} ICAP/1.0`, 'Host: 127.0.0.1:1344', ...identity, ...fields]
  return `${lines.join('\r\n')}\r\nEncapsulated: ${encapsulated}\r\n\r\n${http}${body ?? ''}`
}

export function chunked(...parts: readonly string[]): string {
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
  return `${chunks.join('')}0\r\n\r\n`
}

export const OPTIONS = 'OPTIONS icap://127.0.0.1:1344/reqmod ICAP/1.0\r\nHost: 127.0.0.1:1344\r\n\r\n'

interface HostsMessage {
  readonly uri?: string
  readonly token?: string | undefined
  readonly fields?: readonly string[]
}

/** A request to `/hosts`. */
export function hosts(asked: readonly string[], message: HostsMessage = {}): string {
  const { uri = 'icap://127.0.0.1:1344/hosts', token = TOKEN, fields = [] } = message
  const lines = [
    'Host: 127.0.0.1:1344',
    `X-Engine-Token: ${token}`,
    ...asked.map((host) => `X-Host: ${host}`),
    ...fields,
  ]
  return `HOSTS ${uri} ICAP/1.0\r\n${lines.join('\r\n')}\r\n\r\n`
}

const POST = get('http://open.example/form', 'POST')
const BLOCKED_POST = get('http://casino.example/form', 'POST')

/** Requests that the parser accepts, each with the statuses of the responses that it gets. */
export const ACCEPTED: Readonly<Record<string, readonly [request: string, ...statuses: number[]]>> = {
  options: [OPTIONS, 200],
  'options with a body of none': [OPTIONS.replace('\r\n\r\n', '\r\nEncapsulated: null-body=0\r\n\r\n'), 200],
  'allowed, 204 outside of a preview': [reqmod({ fields: ['Allow: 204'] }), 204],
  'allowed, without 204': [reqmod(), 200],
  'allowed, within a preview without a body': [reqmod({ fields: ['Preview: 0'] }), 204],
  'allowed, a preview of nothing': [reqmod({ http: POST, fields: ['Preview: 0'], body: '0\r\n\r\n' }), 204],
  'allowed, a preview that is all': [
    reqmod({ http: POST, fields: ['Preview: 1024'], body: '3\r\nabc\r\n0; ieof\r\n\r\n' }),
    204,
  ],
  'allowed, a part in the preview': [reqmod({ http: POST, fields: ['Preview: 3'], body: chunked('ab', 'c') }), 204],
  'allowed, a body that is repeated': [reqmod({ http: POST, body: chunked('0\r\n\r\n', '\xc3\xa9') }), 200],
  'allowed, a body with 204': [reqmod({ http: POST, body: chunked('abc'), fields: ['Allow: 206, 204'] }), 204],
  'chunk extensions and trailers': [
    reqmod({ http: POST, body: '0003 ; a="\\""\r\nabc\r\n00;ieof\r\nDigest: x\r\nX: \r\n\r\n' }),
    200,
  ],
  'two Allow lines, as c-icap-stretch sends them': [reqmod({ fields: ['Allow: 204, 206', 'Allow: 206'] }), 204],
  'stopped GET': [reqmod({ http: get('http://casino.example/a?b') }), 200],
  'stopped POST with a body': [reqmod({ http: BLOCKED_POST, body: chunked('secret=1') }), 200],
  'stopped POST with a preview': [reqmod({ http: BLOCKED_POST, body: '0\r\n\r\n', fields: ['Preview: 0'] }), 200],
  'an ambiguous path, with a page': [reqmod({ http: get('http://ambiguous.example/') }), 200],
  'the same, a HEAD': [reqmod({ http: get('http://ambiguous.example/', 'HEAD') }) + OPTIONS, 200, 200],
  'the same, a POST with a body': [
    reqmod({ http: get('http://ambiguous.example/', 'POST'), body: chunked('secret=1') }) + OPTIONS,
    ...[200, 200],
  ],
  'the same, with a preview': [
    reqmod({ http: get('http://ambiguous.example/', 'POST'), body: '0\r\n\r\n', fields: ['Preview: 0'] }) + OPTIONS,
    ...[200, 200],
  ],
  'an HTTP head that is refused': [
    reqmod({ http: get('http://open.example/').replace('Host', 'Host: x\r\nHost') }) + OPTIONS,
    ...[200, 200],
  ],
  'an empty line first': [`\r\n${OPTIONS}`, 200],
  'empty lines between requests': [
    `\n\r\n${reqmod({ fields: ['Allow: 204'] })}\r\n\r\n\n${reqmod({ http: POST, body: chunked('a') })}\r\n${OPTIONS}\r\n`,
    ...[204, 200, 200],
  ],
  'spellings of Encapsulated': [
    [
      (n: number) => `Req-Hdr=0, NULL-BODY=${n}`,
      (n: number) => `req-hdr=0,null-body=${n}`,
      (n: number) => `\treq-hdr = 0\t,\t null-body\t= ${n} `,
      (n: number) => `null-body=${n}, req-hdr=0`,
    ]
      .map((spelling) => reqmod({ encapsulated: spelling(get('http://open.example/').length), fields: ['Allow: 204'] }))
      .join(''),
    ...[204, 204, 204, 204],
  ],
  'a body before its head, by offsets': [
    reqmod({ http: POST, body: chunked('abc'), encapsulated: `REQ-BODY=${POST.length} , req-hdr=0` }) + OPTIONS,
    ...[200, 200],
  ],
  'options with a body of none, spelt differently': [
    OPTIONS.replace('\r\n\r\n', '\r\nencapsulated:\tNull-Body = 0\r\n\r\n'),
    200,
  ],
  'a service with slashes at its ends': [
    ['icap://h/reqmod/', 'icap://h//reqmod', '/reqmod/', '/reqmod/?a=b']
      .map((uri) => reqmod({ uri, fields: ['Allow: 204'] }))
      .join(''),
    ...[204, 204, 204, 204],
  ],
  'a token in the path': [
    [`/reqmod/${TOKEN}`, `/reqmod/${TOKEN}?mode=x`, `//reqmod//${TOKEN}/`]
      .map((path) => reqmod({ uri: `icap://h${path}`, identity: IDENTITY.slice(1), fields: ['Allow: 204'] }))
      .join(''),
    ...[204, 204, 204],
  ],
  'options with a token in the path': [OPTIONS.replace('/reqmod', `/reqmod/${TOKEN}`), 200],
  'the options of the other service': [OPTIONS.replace('/reqmod', '/hosts'), 200],
  'hosts, pipelined, between other requests': [
    hosts(['open.example']) + OPTIONS + hosts(['a.example', 'open.example']) + reqmod() + hosts(['192.0.2.1']),
    ...[200, 200, 200, 200, 200],
  ],
  'as many hosts as a request may have': [hosts(Array<string>(100).fill('open.example')), 200],
  'hosts with a body of none, and a preview': [
    hosts(['open.example'], { fields: ['Encapsulated: null-body=0', 'Preview: 0'] }) + OPTIONS,
    ...[200, 200],
  ],
  'hosts with the token in the path': [
    [`/hosts/${TOKEN}`, `//hosts//${TOKEN}/`]
      .map((path) => hosts(['open.example'], { uri: `icap://h${path}` }).replace(/X-Engine-Token.*\r\n/, ''))
      .join(''),
    ...[200, 200],
  ],
  'hosts in other spellings': [hosts(['OPEN.example.', '[::FFFF:192.0.2.1]', '::1', '0x7f.1', '3221225985']), 200],
  'hosts that are none': [hosts(['', '\xff', 'a b', '[', 'x'.repeat(300), 'a.example/path']), 200],
  pipelined: [
    OPTIONS + reqmod({ http: POST, body: chunked('x'.repeat(300)) }) + reqmod({ fields: ['Preview: 0'] }) + reqmod(),
    ...[200, 200, 204, 200],
  ],
}

/** Requests after which the connection ends, each with the status that it gets. */
export const REJECTED: Readonly<Record<string, readonly [request: string, status: number]>> = {
  'a TLS handshake': ['\x16\x03\x01\x02\x00\x01\x00\x01', 400],
  'an HTTP request': ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  'a carriage return first': [`\r${OPTIONS}`, 400],
  'a carriage return after empty lines': [`\r\n\r\r\n${OPTIONS}`, 400],
  'a space first': [` ${OPTIONS}`, 400],
  'too many empty lines': [`${'\r\n'.repeat(2049)}${OPTIONS}`, 400],
  'another version': [reqmod().replace('ICAP/1.0', 'ICAP/1.1'), 505],
  'another service': [reqmod({ uri: 'icap://127.0.0.1/respmod' }), 404],
  'a service with a longer name': [reqmod({ uri: 'icap://127.0.0.1/reqmodx' }), 404],
  'no host': [hosts([]), 400],
  'too many hosts': [hosts(Array<string>(101).fill('open.example')), 400],
  'more hosts than a head may have fields': [hosts(Array<string>(300).fill('open.example')), 400],
  'a host with a control character': [hosts(['open\0.example']), 400],
  'hosts without a token': [hosts(['open.example']).replace(/X-Engine-Token.*\r\n/, ''), 403],
  'hosts with another token': [hosts(['open.example'], { token: `${TOKEN}x` }), 403],
  'hosts with two tokens': [hosts(['open.example'], { fields: [`X-Engine-Token: ${TOKEN}`] }), 400],
  'no host, and another token': [hosts([], { token: 'wrong-token-of-the-proxy' }), 403],
  'hosts with a body': [hosts(['open.example'], { fields: ['Encapsulated: req-hdr=0, null-body=60'] }), 400],
  'HOSTS of the other service': [hosts(['open.example'], { uri: 'icap://h/reqmod' }), 405],
  'REQMOD of the other service': [reqmod({ uri: 'icap://h/hosts' }), 405],
  'hosts in small letters': [hosts(['open.example']).replace('HOSTS', 'hosts'), 400],
  'hosts of a longer path': [hosts(['open.example'], { uri: 'icap://h/hosts/x' }), 403],
  RESPMOD: [reqmod().replace('REQMOD', 'RESPMOD'), 405],
  'an unknown method': [reqmod().replace('REQMOD', 'PATCH'), 501],
  'no URI': [reqmod({ uri: 'mailto:x' }), 400],
  'no Encapsulated': [reqmod().replace(/Encapsulated.*\r\n/, ''), 400],
  'two Encapsulated': [reqmod({ fields: ['Encapsulated: req-hdr=0, null-body=170'] }), 400],
  'a body before the head': [reqmod({ encapsulated: 'null-body=0, req-hdr=0' }), 400],
  'a response': [reqmod({ encapsulated: 'req-hdr=0, res-hdr=20, res-body=40' }), 400],
  'no HTTP head': [reqmod({ encapsulated: 'req-body=0', body: chunked('x') }), 400],
  'a head that does not start at 0': [reqmod({ encapsulated: 'req-hdr=1, null-body=60' }), 400],
  'a negative offset': [reqmod({ encapsulated: 'req-hdr=0, null-body=-60' }), 400],
  'a hexadecimal offset': [reqmod({ encapsulated: 'req-hdr=0, null-body=0x40' }), 400],
  'an offset with a plus sign': [reqmod({ encapsulated: 'req-hdr=0, null-body=+60' }), 400],
  'an HTTP head that is too long': [reqmod({ encapsulated: 'req-hdr=0, null-body=131073' }), 400],
  'an HTTP head that is too short': [reqmod({ encapsulated: 'req-hdr=0, null-body=4' }), 400],
  'an offset that is one byte short': [
    reqmod({ encapsulated: `req-hdr=0, null-body=${get('http://open.example/').length - 1}` }),
    400,
  ],
  'an offset that is one byte long': [
    reqmod({ encapsulated: `req-hdr=0, null-body=${get('http://open.example/').length + 1}` }) + OPTIONS,
    400,
  ],
  'an empty line within the HTTP head': [
    reqmod({ http: 'GET http://open.example/ HTTP/1.1\r\n\r\nHost: a\r\n\r\n' }),
    400,
  ],
  'two heads': [reqmod({ encapsulated: 'req-hdr=0, REQ-HDR=0, null-body=60' }), 400],
  'two bodies': [reqmod({ encapsulated: 'req-hdr=0, null-body=60, req-body=60' }), 400],
  'an offset without a name': [reqmod({ encapsulated: 'req-hdr=0, =60' }), 400],
  'a space within a name': [reqmod({ encapsulated: 'req-hdr=0, null -body=60' }), 400],
  'a semicolon': [reqmod({ encapsulated: 'req-hdr=0; null-body=60' }), 400],
  'a token that is wrong in the path': [reqmod({ uri: `icap://h/reqmod/${TOKEN}x/` }), 403],
  'OPTIONS with a token that is wrong in the path': [OPTIONS.replace('/reqmod', '/reqmod/wrong'), 403],
  'OPTIONS with a body': [OPTIONS.replace('\r\n\r\n', '\r\nEncapsulated: opt-body=0\r\n\r\n'), 400],
  'a continuation line': [reqmod({ fields: ['X-Note: a', ' X-Client-IP: 10.0.0.1'] }), 400],
  'a space before the colon': [reqmod({ fields: ['X-Note : a'] }), 400],
  'a line without a colon': [reqmod({ fields: ['note'] }), 400],
  'a line feed alone': [reqmod({ fields: ['X-Note: a\nX-Other: b'] }), 400],
  'a null byte': [reqmod({ fields: ['X-Note: a\0'] }), 400],
  'too many fields': [reqmod({ fields: Array.from({ length: 256 }, (_, index) => `X-${index}: `) }), 400],
  'a preview that is no number': [reqmod({ fields: ['Preview: all'] }), 400],
  'a preview that is too long': [reqmod({ fields: ['Preview: 1048577'] }), 400],
  'two previews': [reqmod({ fields: ['Preview: 0', 'Preview: 0'] }), 400],
  'a preview longer than announced': [reqmod({ http: POST, fields: ['Preview: 3'], body: chunked('abcd') }), 400],
  'a chunk size in a preview that is none': [reqmod({ http: POST, fields: ['Preview: 3'], body: 'z\r\n' }), 400],
  'a wrong token': [reqmod({ identity: ['X-Engine-Token: wrong', 'X-Client-IP: 10.0.0.1'] }), 403],
  'no token': [reqmod({ identity: ['X-Client-IP: 10.0.0.1'] }), 403],
  'two tokens': [reqmod({ fields: [`X-Engine-Token: ${TOKEN}`] }), 400],
  'no address': [reqmod({ identity: IDENTITY.slice(0, 1) }), 400],
  'two addresses': [reqmod({ fields: ['X-Client-IP: 198.51.100.7'] }), 400],
  'an address that is none': [
    reqmod({ identity: [`X-Engine-Token: ${TOKEN}`, 'X-Client-IP: 10.0.0.1, 10.0.0.2'] }),
    400,
  ],
  'two users': [reqmod({ fields: ['X-Client-Username: alice', 'X-Client-Username: alice'] }), 400],
}
