// Reports of who uses an address: who may report, what a report names, and who is never named by one.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rule } from '../../support/rules.ts'
import { ask as askIcap, outcome } from '../icap/icap-client.ts'
import { get, reqmod, TOKEN } from '../icap/messages.ts'
import { API_TOKEN, NOW, policy, startEngine } from '../running-engine.ts'

const PRESENCE_TOKEN = 'token-of-the-radius-server'
const CONTROL = `api_token = "${API_TOKEN}"\nadmin_token = "token-of-the-administrator"`
const RULES = `
${rule('students', 'block', 'match = ["games.example"]', 'users = ["mia"]')}
${rule('news', 'warn', 'match = ["news.example"]', 'users = ["mia", "tim"]')}
[users]
strip = ["SCHOOL\\\\", "@school.example"]
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
[presence]
token_file = "presence-token"
`
const files = { 'icap-token': `${TOKEN}\n`, 'presence-token': `${PRESENCE_TOKEN}\n` }
/** 192.168.50.0/24 is written as networks of both families: they are the same one. */
const authExcept = '192.168.50.0/25 ::ffff:192.168.50.128/121 2001:db8:50::/48'
const GAMES = 'http://games.example/'
const PHONE = '192.168.50.7'
const JSON_TYPE = { 'content-type': 'application/json' }

async function start(t: TestContext, text = policy(RULES, '', CONTROL)) {
  const engine = await startEngine(t, text, { files, authExcept })
  let ahead = 0
  const now = () => NOW + ahead
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const report = (body: object, token = PRESENCE_TOKEN) =>
    engine.ask('PUT', '/api/presence', { ...JSON_TYPE, ...bearer(token) }, JSON.stringify(body))
  return {
    ...engine,
    now,
    report,
    present: async (client: string, user = 'mia', seconds = 600) => {
      assert.equal((await report({ client, user, until: now() + seconds })).status, 204, `${client} ${user}`)
    },
    end: (query: string, token = PRESENCE_TOKEN) => engine.ask('DELETE', `/api/presence?${query}`, bearer(token)),
    pass: (seconds: number) => {
      ahead += seconds
      engine.pass(seconds)
    },
    /** Whom the engine takes the client for, by the rules and by its log. */
    userAt: async (client: string, user?: string) => {
      await engine.decide(GAMES, client, user)
      return engine.logged().findLast(({ event }) => `${event}`.startsWith('request.'))?.user
    },
  }
}

test('a report names the user of an address, for rules, log, sessions and why, until it ends', async (t) => {
  const { present, end, userAt, decide, verdict, acknowledge, administer, state, logged, pass } = await start(t)
  assert.equal(await userAt(PHONE), undefined)
  await present(PHONE, 'SCHOOL\\Mia')
  assert.equal((await decide(GAMES, PHONE)).json.verdict, 'block')
  assert.equal(await userAt(PHONE), 'mia')
  assert.equal(((await administer('why', { url: GAMES, client: PHONE })).json.request as { user: string }).user, 'mia')
  assert.equal((await acknowledge(await verdict('http://news.example/', PHONE))).status, 302)
  const [session] = await state.sessions({}, 10)
  assert.deepEqual([session?.user, session?.client], ['mia', PHONE])

  // Repeated for longer, without a line in the log; then it expires.
  await present(PHONE, 'mia@school.example', 1200)
  pass(1199)
  assert.equal(await userAt(PHONE), 'mia')
  pass(1)
  assert.equal(await userAt(PHONE), undefined)
  assert.equal(
    ((await administer('why', { url: GAMES, client: PHONE })).json.request as object & { user: null }).user,
    null,
  )

  await present(PHONE)
  assert.equal((await end(`client=${PHONE}`)).status, 204)
  assert.equal(await userAt(PHONE), undefined)
  assert.equal((await end(`client=${PHONE}`)).status, 204, 'a RADIUS server repeats it')
  assert.deepEqual(
    logged()
      .filter(({ event }) => `${event}`.startsWith('presence.'))
      .map(({ event, client, user, from }) => [event, client, user, from]),
    ['reported', 'reported', 'ended'].map((what) => [`presence.${what}`, PHONE, 'mia', '127.0.0.1']),
  )
})

test('a reused address: a new report ends the old one, and a late end of the old one ends nothing', async (t) => {
  const { now, present, report, end, userAt, decide, acknowledge, verdict } = await start(t)
  await present(PHONE, 'mia')
  assert.equal((await acknowledge(await verdict('http://news.example/', PHONE))).status, 302)
  assert.equal((await decide('http://news.example/', PHONE)).json.verdict, 'allow')
  await present(PHONE, 'tim')
  assert.equal(await userAt(PHONE), 'tim')
  assert.equal((await decide('http://news.example/', PHONE)).json.verdict, 'warn', 'her session is not his')
  await end(`client=${PHONE}&user=SCHOOL%5Cmia`)
  assert.equal(await userAt(PHONE), 'tim')
  await end(`client=${PHONE}&user=SCHOOL%5CTIM`)
  assert.equal(await userAt(PHONE), undefined)

  // Its user cannot be named now, but it is not mia any more.
  for (const body of [
    { user: '-', until: now() + 60 },
    { user: '', until: now() + 60 },
    { user: 'ben\u0000', until: now() + 60 },
    { user: 'ben', until: now() - 1 },
    { user: 'ben', until: 'tomorrow' },
    { user: 'ben', until: now() + 60, extra: 1 },
  ]) {
    await present(PHONE, 'mia')
    assert.equal((await report({ client: PHONE, ...body })).status, 400, JSON.stringify(body))
    assert.equal(await userAt(PHONE), undefined, JSON.stringify(body))
  }
})

test('twelve hours at most; a time is in seconds, or as text', async (t) => {
  const { now, report, userAt, pass, ask } = await start(t)
  for (const until of [
    now() + 86_400 * 30,
    new Date((now() + 86_400) * 1000).toISOString(),
    1e300,
    '9999-12-31T00:00:00Z',
  ]) {
    const client = '192.168.50.9'
    assert.equal((await report({ client, user: 'mia', until })).status, 204, `${until}`)
    pass(12 * 3600 - 1)
    assert.equal(await userAt(client), 'mia', `${until}`)
    pass(1)
    assert.equal(await userAt(client), undefined, `${until}`)
  }
  const text = new Date((now() + 60) * 1000).toISOString().replace('Z', '+00:00')
  assert.equal((await report({ client: PHONE, user: 'mia', until: text })).status, 204)
  pass(60)
  assert.equal(await userAt(PHONE), undefined)

  // The query instead, as FreeRADIUS sends it.
  const put = async (query: string, body?: string) =>
    (await ask('PUT', `/api/presence?${query}`, { ...JSON_TYPE, authorization: `Bearer ${PRESENCE_TOKEN}` }, body))
      .status
  assert.equal(await put(`client=${PHONE}&user=g%C3%BCn%26ther&until=${now() + 60}`), 204)
  assert.equal(await userAt(PHONE), 'gün&ther')
  const other = JSON.stringify({ client: PHONE, user: 'tim', until: now() + 60 })
  assert.equal(await put(`client=${PHONE}&user=mia&until=${now() + 60}`, other), 204)
  assert.equal(await userAt(PHONE), 'mia')
  for (const query of [
    '',
    `client=${PHONE}`,
    `client=${PHONE}&user=a&user=b&until=${now() + 60}`,
    `client=${PHONE}&client=10.0.0.1`,
  ]) {
    assert.equal(await put(query, other), 400, query)
  }
  assert.notEqual(await userAt(PHONE), 'tim')
})

test('only addresses of PROXY_AUTH_EXCEPT are named, however they are spelt', async (t) => {
  const { now, present, report, userAt, state } = await start(t)
  for (const [reported, used, other] of [
    ['192.168.50.7', '::ffff:192.168.50.7', '::192.168.50.7'],
    ['::ffff:c0a8:32c8', '192.168.50.200', '64:ff9b::192.168.50.200'],
    ['2001:DB8:50:0:0:0:0:7', '2001:db8:50::7', '2001:db8:50::8'],
  ] as const) {
    await present(reported)
    assert.equal(await userAt(used), 'mia', used)
    assert.equal(await userAt(other), undefined, other)
  }
  for (const client of ['192.168.51.7', '10.0.0.1', '::192.168.50.7', '2001:db8:51::7']) {
    const { status, json } = await report({ client, user: 'mia', until: now() + 60 })
    assert.deepEqual([status, /PROXY_AUTH_EXCEPT/.test(`${json.detail}`)], [403, true], client)
    // A report from before the variable was changed, or of another engine.
    await state.reportPresence({ address: client, user: 'mia', until: (now() + 60) * 1000 })
    assert.equal(await userAt(client), undefined, client)
  }
  for (const client of ['192.168.50.7/32', '192.168.50.07', 'fe80::1%eth0', 'phone', '', 7, null, ['192.168.50.7']]) {
    assert.equal((await report({ client, user: 'tim', until: now() + 60 })).status, 400, JSON.stringify(client))
  }
  assert.equal(await userAt('192.168.50.7'), 'mia')
})

test('a user that the proxy names comes first; nobody else can name one', async (t) => {
  const { present, userAt, icapPort = 0 } = await start(t)
  await present(PHONE, 'mia')
  assert.equal(await userAt(PHONE, 'tim'), 'tim')
  const identity = (address: string, ...more: string[]) => [
    `X-Engine-Token: ${TOKEN}`,
    `X-Client-IP: ${address}`,
    ...more,
  ]
  const outcomeOf = (fields: readonly string[], http = get(GAMES)) => outcome(icapPort, { http, identity: fields })
  assert.equal(await outcomeOf(identity(PHONE)), '302')
  assert.equal(await outcomeOf(identity(`::ffff:${PHONE}`)), '302')
  assert.equal(await outcomeOf(identity(PHONE, 'X-Client-Username: tim')), 'allowed')
  // What stands for nobody names nobody.
  assert.equal(await outcomeOf(identity(PHONE, 'X-Client-Username: -')), '302')
  // The visitor's own fields.
  const spoofed = (...fields: string[]) => get(GAMES).replace('Accept: */*', fields.join('\r\n'))
  const own = [
    'X-Client-IP: 192.168.50.8',
    'X-Forwarded-For: 192.168.50.8',
    'X-Client-Username: tim',
    'X-Authenticated-User: eDovL3RpbQ==',
  ]
  assert.equal(await outcomeOf(identity(PHONE), spoofed(...own)), '302')
  assert.equal(
    await outcomeOf(identity('192.168.50.8'), spoofed(`X-Client-IP: ${PHONE}`, `X-Forwarded-For: ${PHONE}`)),
    'allowed',
  )
  // An ICAP client without the token, and one that sends two addresses.
  const [denied] = await askIcap(icapPort, reqmod({ http: get(GAMES), identity: [`X-Client-IP: ${PHONE}`] }))
  assert.equal(denied?.status, 403)
  const [twice] = await askIcap(
    icapPort,
    reqmod({ http: get(GAMES), identity: identity(PHONE, 'X-Client-IP: 10.0.0.1') }),
  )
  assert.equal(twice?.status, 400)
})

test('the token reports, and opens nothing else; no other token reports', async (t) => {
  const { now, report, end, ask, administer, userAt, present, logText } = await start(t)
  await present(PHONE)
  const body = { client: PHONE, user: 'tim', until: now() + 60 }
  for (const [token, status] of [
    ['', 401],
    ['x', 401],
    [TOKEN, 401],
    ['token-of-the-administrator', 401],
    [API_TOKEN, 403],
  ] as const) {
    assert.equal((await report(body, token)).status, status, token)
    assert.equal((await end(`client=${PHONE}`, token)).status, status, token)
  }
  assert.equal(await userAt(PHONE), 'mia')
  const bearer = { ...JSON_TYPE, authorization: `Bearer ${PRESENCE_TOKEN}` }
  for (const [method, path] of [
    ['POST', '/api/decision'],
    ['POST', '/api/admin/status'],
    ['POST', '/api/admin/permissions/allow'],
    ['GET', '/api/captive/ack'],
  ] as const) {
    assert.equal((await ask(method, path, bearer, method === 'GET' ? undefined : '{}')).status, 401, path)
  }
  assert.equal((await administer('status', {})).status, 200)
  const posted = await ask('POST', '/api/presence', bearer, '{}')
  assert.deepEqual([posted.status, posted.headers.allow], [405, 'PUT, DELETE'])
  for (const query of [
    '',
    'client=',
    'user=mia',
    `client=${PHONE}&client=10.0.0.1`,
    `client=${PHONE}&all=1`,
    `client=${PHONE}&user=-`,
  ]) {
    assert.equal((await end(query)).status, 400, query)
  }
  assert.equal(await userAt(PHONE), 'mia')
  assert.equal(
    (await ask('PUT', '/api/presence', { authorization: bearer.authorization }, JSON.stringify(body))).status,
    415,
  )
  assert.ok(!logText().includes(PRESENCE_TOKEN))
})

test('without [presence] nobody reports, and what is stored names nobody without PROXY_AUTH_EXCEPT', async (t) => {
  const without = await start(t, policy(RULES.replace(/\[presence\]\n.*\n/, ''), '', CONTROL))
  for (const token of [PRESENCE_TOKEN, API_TOKEN, 'token-of-the-administrator']) {
    assert.equal((await without.report({ client: PHONE, user: 'mia', until: NOW + 60 }, token)).status, 404)
  }
  const { state, decide } = await startEngine(t, policy(RULES), { files })
  await state.reportPresence({ address: PHONE, user: 'mia', until: (NOW + 60) * 1000 })
  assert.equal((await decide(GAMES, PHONE)).json.verdict, 'allow')
})

test('a changed [users] strip counts at once; without a database nothing is reported', async (t) => {
  const { now, present, report, end, userAt, write, policies, state } = await start(t)
  await present(PHONE, 'OTHER\\mia')
  assert.equal(await userAt(PHONE), 'other\\mia')
  await write(policy(RULES.replace('"SCHOOL', '"OTHER'), '', CONTROL))
  assert.equal((await policies.reload()).result, 'loaded')
  assert.equal(await userAt(PHONE), 'mia')
  await state.close()
  const { status, headers } = await report({ client: PHONE, user: 'tim', until: now() + 60 })
  assert.deepEqual([status, headers['retry-after']], [503, '5'])
  assert.equal((await end(`client=${PHONE}`)).status, 503)
})
