// What the listener makes of a request, decided by a real engine: targets, hosts, clients, users, methods.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refusalPage } from '../../../src/engine/icap/refusal-page.ts'
import { rule } from '../../support/rules.ts'
import { policy, startEngine } from '../running-engine.ts'
import { ask, outcome } from './icap-client.ts'
import { get, hosts, IDENTITY, OPTIONS, reqmod, TOKEN } from './messages.ts'

const RULES = `
${rule('gambling', 'block', 'match = [".casino.example", "video.example/shorts", "192.0.2.1", "xn--bcher-kva.example"]')}
${rule('staff', 'block', 'match = ["users.example"]', 'users = ["alice", "günther", "andreà", "YWxpY2U=", "WIN/carol"]')}
${rule('lab', 'block', 'match = ["clients.example"]', 'clients = ["198.51.100.8", "2001:db8::/32"]')}
${rule('caution', 'warn', 'match = ["caution.example"]')}
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
`
const files = { 'icap-token': `${TOKEN}\n` }
const engine = await startEngine({ after }, policy(RULES), { files })
const base64Engine = await startEngine({ after }, policy(`${RULES}username = "base64"\nconnect = "allow"`), { files })
const port = engine.icapPort as number
const base64Port = base64Engine.icapPort as number

const head = (line: string, ...fields: string[]) => `${[line, ...fields].join('\r\n')}\r\n\r\n`

test('hosts: which of them no rule names, by the policy in force, and none of them counts as a decision', async (t) => {
  const own = await startEngine(t, policy(RULES), { files })
  const ruled = async (...asked: string[]) => {
    const [response] = await ask(own.icapPort as number, hosts(asked))
    return response?.head.match(/(?<=X-Ruled: )\w+/g)?.join(' ')
  }
  const names = 'www.casino.example CASINO.example. video.example xn--bcher-kva.example 3221225985 192.0.2.1'
  assert.equal(await ruled(...names.split(' ')), 'yes yes yes yes yes yes')
  // Whom a rule is about, and a session, make no difference.
  assert.equal(await ruled('users.example', 'clients.example', 'caution.example'), 'yes yes yes')
  assert.equal(
    await ruled('news.example', '192.0.2.2', '[2001:db8::1]', 'notcasino.example', 'localhost'),
    'no no no no no',
  )
  assert.equal(await ruled('casino.example:443', 'news.example/', 'news%2eexample', ''), 'yes yes yes yes')
  await own.administer('permissions/allow', { host: '.casino.example', minutes: 5, by: 'Ms Rossi' })
  assert.equal(await ruled('casino.example'), 'yes')

  await own.write(policy(RULES.replace('"192.0.2.1"', '"192.0.2.0/31", "news.example"')))
  await own.administer('reload', {})
  assert.equal(await ruled('news.example', '198.51.100.1', '2001:db8::1', 'localhost'), 'yes yes yes no')
  await own.write(policy(RULES, 'default = "block"'))
  await own.administer('reload', {})
  assert.equal(await ruled('localhost', 'portal.example'), 'yes yes')
  assert.deepEqual((await own.administer('status', {})).json.decisions, { json: 0, icap: 0 })
})

test('OPTIONS, with an ISTag that follows the policy', async () => {
  const tagOf = async () => /ISTag: "(.+)"/.exec((await ask(port, OPTIONS))[0]?.head ?? '')?.[1] ?? ''
  const [response] = await ask(port, OPTIONS)
  const { revision } = engine.policies.current
  const fields = ['Methods: REQMOD', 'Service: Gateway engine', `ISTag: "${revision}"`, 'Allow: 204', 'Preview: 0']
  const more = ['Transfer-Preview: *', 'Options-TTL: 86400', 'Encapsulated: null-body=0']
  assert.equal(response?.head, head('ICAP/1.0 200 OK', ...fields, ...more))
  assert.ok(revision.length <= 30)
  await engine.write(policy(`${RULES}# changed`))
  await engine.policies.reload()
  assert.equal(await tagOf(), revision)
  await engine.write(policy(RULES, 'session_minutes = 5'))
  await engine.policies.reload()
  assert.equal(await tagOf(), engine.policies.current.revision)
  assert.notEqual(await tagOf(), revision)
})

test('a stopped request gets the redirect of the engine, and an audit line', async () => {
  const [response] = await ask(port, reqmod({ http: get('http://www.casino.example/?a=b') }))
  assert.match(
    response?.http ?? '',
    /\r\nLocation: https:\/\/portal\.example\/blocked\?p=[\w.-]+&v=1&ts=1800000000\r\n/,
  )
  const line = engine.logged().findLast(({ event }) => event === 'request.stopped')
  assert.deepEqual([line?.door, line?.client, line?.rule], ['icap', '198.51.100.7', 'gambling'])
})

const CASINO = 'http://casino.example/'
test('a stopped GET and HEAD is 302, any other method 303', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PROPFIND', 'get']) {
    const expected = /^(GET|HEAD)$/.test(method) ? '302' : '303'
    assert.equal(await outcome(port, { http: get(CASINO, method) }), expected, method)
  }
})

const targets: readonly (readonly [name: string, http: string, outcome: string])[] = [
  ['absolute', head('GET http://casino.example/a HTTP/1.1', 'Host: casino.example'), '302'],
  ['absolute without Host', head('GET http://casino.example/a HTTP/1.0'), '302'],
  ['absolute https', head('GET https://casino.example:8443/a HTTP/1.1', 'Host: casino.example:8443'), '302'],
  ['absolute in capitals', head('GET HTTP://CASINO.example HTTP/1.1', 'Host: Casino.Example:80'), '302'],
  ['absolute with a query alone', head('GET http://casino.example?x HTTP/1.1'), '302'],
  ['origin', head('GET /a HTTP/1.1', 'hOST:\tcasino.example '), '302'],
  ['origin with two slashes', head('GET //open.example/ HTTP/1.1', 'Host: casino.example'), '302'],
  ['origin without Host', head('GET /a HTTP/1.1'), '400'],
  ['origin with an empty Host', head('GET /a HTTP/1.1', 'Host:'), '400'],
  ['OPTIONS *', head('OPTIONS * HTTP/1.1', 'Host: casino.example'), '303'],
  ['GET *', head('GET * HTTP/1.1', 'Host: casino.example'), '400'],
  ['an address', head('GET / HTTP/1.1', 'Host: 192.0.2.1'), '302'],
  ['an IPv4-mapped address', head('GET http://[::ffff:192.0.2.1]/ HTTP/1.1'), '302'],
  ['a dot at the end', head('GET http://casino.example./ HTTP/1.1', 'Host: casino.example'), '302'],
  ['a percent-encoded host', head('GET http://c%61sino.example/ HTTP/1.1'), '302'],
  ['a host in UTF-8', head('GET / HTTP/1.1', 'Host: b\xc3\xbccher.example'), '302'],
  ['a path', head('GET http://video.example/shorts/1 HTTP/1.1'), '302'],
  ['a path with an encoded character', head('GET http://video.example/%73horts HTTP/1.1'), '302'],
  ['dot segments', head('GET http://video.example/shorts/ID/../.. HTTP/1.1'), '400'],
  ['dot segments in origin form', head('GET /x/../shorts HTTP/1.1', 'Host: video.example'), '400'],
  ['dot segments, encoded', head('GET http://video.example/%2e%2E/%2e HTTP/1.1'), '400'],
  ['a backslash', head('GET /shorts\\..\\ HTTP/1.1', 'Host: video.example'), '400'],
  ['dot segments in a query', head('GET http://video.example/a?/../shorts HTTP/1.1'), 'allowed'],
  ['dot segments of another host', head('GET http://open.example/shorts/..\\..%2e/../x HTTP/1.1'), 'allowed'],
  ['dot segments of a blocked host', head('GET http://casino.example/a/../b HTTP/1.1'), '302'],
  ['parameters', head('GET http://video.example/%73horts/ID/..;/..;/ HTTP/1.1'), '302'],
  ['an encoded slash', head('GET http://video.example/a/..%2fshorts HTTP/1.1'), '302'],
  ['a byte beyond ASCII', head('GET /shorts;\xff HTTP/1.1', 'Host: video.example'), '302'],
  ['another path', head('GET http://video.example/long HTTP/1.1'), 'allowed'],
  ['the portal', head('GET https://portal.example/blocked HTTP/1.1', 'Host: portal.example'), 'allowed'],
  ['Host of another site', head('GET http://open.example/ HTTP/1.1', 'Host: casino.example'), '400'],
  ['target of another site', head('GET http://casino.example/ HTTP/1.1', 'Host: open.example'), '400'],
  ['two Host', head('GET http://open.example/ HTTP/1.1', 'Host: open.example', 'Host: open.example'), '400'],
  ['Host with credentials', head('GET / HTTP/1.1', 'Host: open.example@casino.example'), '400'],
  ['Host with a path', head('GET / HTTP/1.1', 'Host: open.example/'), '400'],
  ['credentials in the target', head('GET http://open.example@casino.example/ HTTP/1.1'), '400'],
  ['a backslash in the host', head('GET http://open.example\\@casino.example/ HTTP/1.1'), '400'],
  ['a fragment', head('GET http://video.example/#/../shorts HTTP/1.1'), '400'],
  ['a fragment in origin form', head('GET /#x HTTP/1.1', 'Host: video.example'), '400'],
  ['no scheme', head('GET casino.example/ HTTP/1.1'), '400'],
  ['ftp', head('GET ftp://open.example/ HTTP/1.1'), '403'],
  ['three slashes', head('GET http:///open.example/ HTTP/1.1'), '400'],
  ['a port that is none', head('GET http://open.example:99999/ HTTP/1.1'), '400'],
  ['a long host', head(`GET http://${'a.'.repeat(127)}example/ HTTP/1.1`), '400'],
  ['a long URL', head(`GET http://open.example/${'a'.repeat(8192)} HTTP/1.1`), '414'],
  ['a space in the target', head('GET http://open.example/ a HTTP/1.1'), '400'],
  ['no version', head('GET http://open.example/'), '400'],
  ['a long method', head(`${'A'.repeat(33)} http://open.example/ HTTP/1.1`), '400'],
  ['a continuation line', head('GET / HTTP/1.1', 'Host: open.example', ' casino.example'), '400'],
  ['a space before the colon', head('GET / HTTP/1.1', 'Host: open.example', 'Host : casino.example'), '400'],
  ['a line feed alone', head('GET / HTTP/1.1', 'Host: open.example', 'A: b\nHost: casino.example'), '400'],
  ['CONNECT', head('CONNECT casino.example:443 HTTP/1.1', 'Host: casino.example:443'), '403'],
  ['CONNECT that is allowed', head('CONNECT open.example:443 HTTP/1.1', 'Host: open.example:443'), 'allowed'],
  ['CONNECT to a warned host', head('CONNECT caution.example:443 HTTP/1.1'), '403'],
  ['CONNECT to an address', head('CONNECT [2001:db8::1]:8443 HTTP/1.1'), 'allowed'],
  ['CONNECT without a port', head('CONNECT open.example HTTP/1.1'), '400'],
  ['CONNECT with a URL', head('CONNECT https://open.example/ HTTP/1.1'), '400'],
  ['CONNECT with another Host', head('CONNECT open.example:443 HTTP/1.1', 'Host: casino.example'), '400'],
]
for (const [name, http, expected] of targets) {
  test(`target: ${name}: ${expected}`, async () => {
    assert.equal(await outcome(port, { http }), expected)
  })
}

const handshakes: readonly (readonly [field: string, url: string, outcome: string])[] = [
  ['198.51.100.9 open.example', 'https://open.example/', 'allowed'],
  ['198.51.100.9 OPEN.example', 'https://open.example.:8443/', 'allowed'],
  ['198.51.100.9 casino.example', 'https://casino.example/', '302'],
  ['198.51.100.9 casino.example', 'https://open.example/', '421'],
  ['198.51.100.9 open.example', 'https://casino.example/', '421'],
  ['198.51.100.9 open.example', 'https://www.open.example/', '421'],
  ['198.51.100.9 -', 'https://198.51.100.9/', 'allowed'],
  ['2001:db8::9 -', 'https://[2001:db8:0::9]/', 'allowed'],
  ['198.51.100.9 -', 'https://open.example/', '421'],
  ['198.51.100.9 -', 'https://198.51.100.10/', '421'],
  ['198.51.100.9 open.example', 'https://198.51.100.9/', '421'],
  ['198.51.100.9 %0Dopen.example', 'https://open.example/', '421'],
]
for (const [field, url, expected] of handshakes) {
  test(`redirected https, with the handshake ${field}: ${url}: ${expected}`, async () => {
    assert.equal(await outcome(port, { http: get(url), fields: [`X-Handshake: ${field}`] }), expected)
  })
}

test('a handshake that cannot be read, or twice, is an error of the proxy', async () => {
  const field = (value: string) => `X-Handshake: ${value}`
  for (const fields of [
    [''],
    ['open.example'],
    ['198.51.100.9 '],
    ['198.51.100.9 a b'],
    ['198.51.100.9 a', '198.51.100.9 a'],
  ]) {
    const [response] = await ask(port, reqmod({ fields: fields.map(field) }))
    assert.match(response?.head ?? '', /^ICAP\/1\.0 400 /, fields.join())
  }
})

const AMBIGUOUS = 'http://video.example/shorts/<b>secret/../..'
const PAGE = refusalPage('ambiguous path')

test('the page of an ambiguous path has four languages, and loads nothing', async () => {
  const [response] = await ask(port, reqmod({ http: get(AMBIGUOUS) }))
  const fields = ['Content-Type: text/html; charset=utf-8', 'Cache-Control: no-store', `Content-Length: ${PAGE.length}`]
  assert.deepEqual([response?.http, response?.body], [head('HTTP/1.1 400 Bad Request', ...fields), PAGE])
  const page = Buffer.from(PAGE, 'latin1').toString()
  const sections = [
    ...page.matchAll(
      /<section lang="(..)">\n<h1>([^<>&"]+)<\/h1>\n<p>([^<>&"]+)<\/p>\n<button type="button" hidden>[^<>&"]+<\/button>\n<\/section>/g,
    ),
  ]
  assert.deepEqual(
    sections.map(([, language]) => language),
    ['en', 'fr', 'de', 'it'],
  )
  assert.ok(page.includes('<h1>La passerelle ne peut pas vérifier cette adresse</h1>') && page.includes('can’t'))
  assert.match(page, /<footer lang="en" translate="no">Code: ambiguous path<\/footer>/)
  assert.doesNotMatch(page, /<header>|\$\{/)
  assert.doesNotMatch(
    page.replaceAll("xmlns='http://www.w3.org/2000/svg'", ''),
    /secret|video\.example|\$\{|%|https?:|@import|url\(|<link(?! rel="icon" href="data:)/,
  )
})

test('an ambiguous path is logged once, without the URL, and is no decision', async (t) => {
  const { icapPort, logged, logText, administer } = await startEngine(t, policy(RULES), { files })
  for (let sent = 0; sent < 5; sent++) await ask(icapPort as number, reqmod({ http: get(AMBIGUOUS) }))
  assert.deepEqual(logged(), [
    {
      ...{ level: 40, proxy: '127.0.0.1', msg: 'ICAP request refused' },
      problem: 'an ambiguous path, about which a rule with a path would decide',
    },
  ])
  assert.doesNotMatch(logText(), /secret|video\.example/)
  assert.deepEqual((await administer('status', {})).json.decisions, { json: 0, icap: 0 })
})

test('exempt from inspection is not allowed: CONNECT is decided by the rules and the default', async (t) => {
  const rules = `
${rule('updates', 'allow', 'match = ["mesu.apple.com"]')}
[inspection]
exempt = [".bank.example"]
exempt_clients = ["198.51.100.0/24"]
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
`
  const { icapPort } = await startEngine(t, policy(rules, 'default = "block"'), { files })
  const connect = (host: string) =>
    outcome(icapPort as number, { http: head(`CONNECT ${host}:443 HTTP/1.1`, `Host: ${host}:443`) })
  assert.equal(await connect('www.bank.example'), '403')
  assert.equal(await connect('swcdn.apple.com'), '403')
  assert.equal(await connect('other.example'), '403')
  assert.equal(await connect('mesu.apple.com'), 'allowed')
})

test('connect = "allow" leaves CONNECT to the requests within it', async () => {
  const http = head('CONNECT casino.example:443 HTTP/1.1')
  assert.equal(await outcome(base64Port, { http }), 'allowed')
  assert.equal(await outcome(base64Port, { http: get(CASINO) }), '302')
})

const [tokenField = ''] = IDENTITY
const clientsHttp = get('http://clients.example/')
for (const [address, expected] of [
  ['198.51.100.7', 'allowed'],
  ['198.51.100.8', '302'],
  ['::ffff:198.51.100.8', '302'],
  ['2001:DB8:0::5', '302'],
  ['fe80::1%eth0', 'ICAP 400'],
  ['198.51.100.8:1234', 'ICAP 400'],
  ['-', 'ICAP 400'],
  ['', 'ICAP 400'],
]) {
  test(`X-Client-IP: ${address}: ${expected}`, async () => {
    const identity = [tokenField, `X-Client-IP: ${address}`]
    assert.equal(await outcome(port, { http: clientsHttp, identity }), expected)
  })
}

test('the error for a missing address names the proxy’s setting', async () => {
  const [response] = await ask(port, reqmod({ identity: [tokenField] }))
  assert.match(response?.head ?? '', /^ICAP\/1\.0 400 Bad request: X-Client-IP is missing.*icap_send_client_ip/)
})

test('fields of the HTTP head identify nobody', async () => {
  const http = head('GET http://clients.example/ HTTP/1.1', 'X-Client-IP: 198.51.100.8', `X-Engine-Token: ${TOKEN}`)
  assert.equal(await outcome(port, { http }), 'allowed')
  assert.equal(await outcome(port, { http, identity: ['X-Client-IP: 198.51.100.7'] }), 'ICAP 403')
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const users: readonly (readonly [field: string, plain: string, base64: string])[] = [
  ['X-Client-Username: alice', '302', 'ICAP 400'],
  ['X-Client-Username: ALICE', '302', 'ICAP 400'],
  ['X-Client-Username: bob', 'allowed', 'ICAP 400'],
  ['X-Client-Username: ', 'allowed', 'allowed'],
  [`X-Client-Username: ${base64('alice')}`, '302', '302'],
  [`X-Client-Username: ${base64('bob')}`, 'allowed', 'allowed'],
  ['X-Client-Username: g\xc3\xbcnther', '302', 'ICAP 400'],
  ['X-Client-Username: gu\xcc\x88nther', '302', 'ICAP 400'],
  [`X-Client-Username: ${base64('günther')}`, 'allowed', '302'],
  // The last byte is a no-break space elsewhere.
  ['X-Client-Username: andre\xc3\xa0', '302', 'ICAP 400'],
  ['X-Client-Username: g\xfcnther', 'ICAP 400', 'ICAP 400'],
  [`X-Client-Username: ${'a'.repeat(257)}`, 'ICAP 400', 'ICAP 400'],
  [`X-Client-Username: ${base64('a\0b')}`, 'allowed', 'ICAP 400'],
  [`X-Authenticated-User: ${base64('Local://alice')}`, '302', '302'],
  [`X-Authenticated-User: ${base64('WinNT://WIN/Carol')}`, '302', '302'],
  [`X-Authenticated-User: ${base64('LDAP://server/cn=bob')}`, 'allowed', 'allowed'],
  [`X-Authenticated-User: ${base64('alice')}`, 'ICAP 400', 'ICAP 400'],
  // FortiGate's, in clear.
  ['X-Authenticated-User: WinNT://WIN/Carol', '302', '302'],
  ['X-Authenticated-User: winnt://win/carol', '302', '302'],
  ['X-Authenticated-User: WinNT:///alice', '302', '302'],
  ['X-Authenticated-User: Local://alice', '302', '302'],
  ['X-Authenticated-User: Local://g\xc3\xbcnther', '302', '302'],
  ['X-Authenticated-User: Local://bob', 'allowed', 'allowed'],
  ['X-Authenticated-User: Local://g\xfcnther', 'ICAP 400', 'ICAP 400'],
  ['X-Authenticated-User: alice', 'ICAP 400', 'ICAP 400'],
  ['X-Authenticated-User: WIN\\Carol', 'ICAP 400', 'ICAP 400'],
  ['X-Authenticated-User: //alice', 'ICAP 400', 'ICAP 400'],
  ['X-Authenticated-User: Local://', 'ICAP 400', 'ICAP 400'],
  [`X-Authenticated-User: ${base64('Local://')}`, 'ICAP 400', 'ICAP 400'],
]
for (const [field, plain, encoded] of users) {
  test(`${field.slice(0, 60)}: ${plain}, in base64 ${encoded}`, async () => {
    const http = get('http://users.example/')
    assert.equal(await outcome(port, { http, fields: [field] }), plain)
    assert.equal(await outcome(base64Port, { http, fields: [field] }), encoded)
  })
}

test('no token is logged', () => {
  const text = engine.logText() + base64Engine.logText()
  assert.match(text, /ICAP request refused/)
  assert.ok(!text.includes(TOKEN))
})
