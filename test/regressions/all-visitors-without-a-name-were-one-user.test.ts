// Seen: proxies report `-`, `(null)` or `WinNT:///` where they know no user, and the engine took each for a name, since rules have
// had users. All visitors without a name were one user: when one of them accepted a warning, it was open to all, and the wrong
// codes of one locked out the others.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ask, outcome } from '../engine/icap/icap-client.ts'
import { get, reqmod, TOKEN } from '../engine/icap/messages.ts'
import { CLIENT, policy, startEngine } from '../engine/running-engine.ts'

const files = { 'icap-token': TOKEN }
const RULES = `
[[rules]]
name = "caution"
match = ["caution.example"]
action = "warn"
[[rules]]
name = "lab"
match = ["lab.example"]
action = "aup"
override = { type = "pin", code = "80361", attempts = 1 }
[[rules]]
name = "named"
match = ["named.example"]
users = ["alice"]
action = "block"
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
`
const [plain, base64] = await Promise.all(
  ['plain', 'base64'].map((form) => startEngine({ after }, policy(`${RULES}username = "${form}"`), { files })),
)
assert.ok(plain !== undefined && base64 !== undefined)

const OTHER = '198.51.100.8'
const identity = (address: string) => [`X-Engine-Token: ${TOKEN}`, `X-Client-IP: ${address}`]
const encoded = (text: string) => Buffer.from(text).toString('base64')
const username = (name: string) => `X-Client-Username: ${Buffer.from(name).toString('latin1')}`
const authenticated = (name: string) => `X-Authenticated-User: ${name}`

const fields: readonly (readonly [engine: typeof plain, field: string])[] = [
  ...[
    '-',
    '(null)',
    '<unknown>',
    'WinNT:///',
    'WinNT://',
    'SCHOOL\\',
    'SCHOOL/',
    'SCHOOL\\-',
    '-@school.example',
    '""',
    '－',
  ].flatMap((name) => [[plain, username(name)] as const, [base64, username(encoded(name))] as const]),
  ...['-', '(null)', 'WinNT:///'].map((name) => [plain, username(encoded(name))] as const),
  ...['WinNT:///', 'WinNT://SCHOOL/', 'WinNT://SCHOOL/-', 'WinNT://(null)', 'LDAP://server/(null)'].flatMap((name) => [
    [plain, authenticated(name)] as const,
    [base64, authenticated(encoded(name))] as const,
  ]),
  [plain, username('NT AUTHORITY\\ANONYMOUS LOGON')],
]

for (const [index, [engine, field]] of fields.entries()) {
  const port = engine.icapPort as number
  const from = (address: string, url: string) =>
    outcome(port, { http: get(url), identity: identity(address), fields: [field] })

  describe(`${engine === plain ? 'plain' : 'base64'}, ${field}`, () => {
    test('what one visitor accepts is open to no other', async () => {
      const [own, other] = [`198.51.100.${100 + index}`, `203.0.113.${100 + index}`]
      const http = get('http://caution.example/')
      const [response] = await ask(port, reqmod({ http, identity: identity(own), fields: [field] }))
      const [, query = ''] = /Location: \S+\?(\S+)/.exec(response?.http ?? '') ?? []
      assert.equal((await engine.acknowledge(query)).status, 302)
      assert.equal(await from(own, 'http://caution.example/'), 'allowed')
      assert.equal(await from(other, 'http://caution.example/'), '302')
      await engine.administer('sessions/end', { all: true })
    })
  })
}

test('the JSON call: no user', async () => {
  for (const name of ['-', '(null)', 'WinNT:///', 'SCHOOL\\']) {
    assert.equal(
      (await plain.acknowledge(await plain.verdict('http://lab.example/', CLIENT, name), '1111')).status,
      429,
    )
    assert.equal(
      (await plain.acknowledge(await plain.verdict('http://lab.example/', OTHER, name), '80361')).status,
      302,
    )
    assert.equal((await plain.administer('sessions/list', { user: name })).status, 400)
    await plain.administer('sessions/end', { all: true })
    await plain.administer('lockouts/end', { all: true })
  }
})

test('control: a user has one session at every address', async () => {
  const verdict = await plain.verdict('http://caution.example/', CLIENT, 'null')
  assert.equal((await plain.acknowledge(verdict)).status, 302)
  assert.equal((await plain.decide('http://caution.example/', OTHER, 'null')).json.verdict, 'allow')
  assert.equal((await plain.decide('http://caution.example/', OTHER, 'anonymous')).json.verdict, 'warn')
  assert.equal((await plain.decide('http://named.example/', OTHER, 'alice')).json.verdict, 'block')
})
