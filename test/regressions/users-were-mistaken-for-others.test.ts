// Stories of users whom the engine did not recognise; each suite is one.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ask, outcome } from '../engine/icap/icap-client.ts'
import { get, reqmod, TOKEN } from '../engine/icap/messages.ts'
import { CLIENT, policy, startEngine } from '../engine/running-engine.ts'
import { rule } from '../support/rules.ts'

const RULES = `
${rule('caution', 'warn')}
${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "80361", attempts = 1 }')}
${rule('library', 'aup', 'match = ["library.example"]', 'override = { type = "pin", code = "80361", attempts = 2 }')}
${rule('games', 'block', 'match = ["games.example"]', 'groups = ["students"]')}
${rule('named', 'block', 'match = ["named.example"]', 'users = ["alice"]')}
[groups]
students = { file = "students.txt" }
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
`
const files = {
  'icap-token': TOKEN,
  'students.txt': 'alice\nanna # teaches\nben# both\nclara,dora\n# erin\nfred\n',
}
const [plain, base64] = await Promise.all([
  startEngine({ after }, policy(`${RULES}username = "plain"\n[users]\nstrip = ["SCHOOL/"]`), { files }),
  startEngine({ after }, policy(`${RULES}username = "base64"`), { files }),
])

const isStudent = async (name: string) =>
  (await plain.decide('http://games.example/', CLIENT, name)).json.verdict === 'block'
const enter = async (host: string, code: string, user: string, client = CLIENT) =>
  (await plain.acknowledge(await plain.verdict(`http://${host}/`, client, user), code)).status
const encoded = (name: string) => Buffer.from(name).toString('base64')

// Seen: proxies report `-`, `(null)` or `WinNT:///` where they know no user, and the engine took each for a name, since rules have
// had users. All visitors without a name were one user: when one of them accepted a warning, it was open to all, and the wrong
// codes of one locked out the others.
describe('all visitors without a name were one user', () => {
  const OTHER = '198.51.100.8'
  const username = (name: string) => `X-Client-Username: ${Buffer.from(name).toString('latin1')}`
  const authenticated = (name: string) => `X-Authenticated-User: ${name}`
  const bare = [
    '-',
    '(null)',
    '<unknown>',
    'WinNT:///',
    'WinNT://',
    'SCHOOL\\',
    'SCHOOL/',
    'SCHOOL\\-',
    '-@school.example',
  ]
  const inUrls = ['WinNT:///', 'WinNT://SCHOOL/', 'WinNT://SCHOOL/-', 'WinNT://(null)', 'LDAP://server/(null)']
  const ofPlain = [
    ...[...bare, '""', '－', 'NT AUTHORITY\\ANONYMOUS LOGON', ...['-', '(null)', 'WinNT:///'].map(encoded)].map(
      username,
    ),
    ...inUrls.map(authenticated),
  ]
  const ofBase64 = [
    ...[...bare, '""', '－'].map((name) => username(encoded(name))),
    ...inUrls.map((name) => authenticated(encoded(name))),
  ]

  for (const [engine, fields] of [
    [plain, ofPlain],
    [base64, ofBase64],
  ] as const) {
    test(`what one visitor accepts is open to no other: ${engine === plain ? 'plain' : 'base64'}`, async () => {
      const url = 'http://caution.example/'
      for (const field of fields) {
        const message = (client: string) => ({
          ...{ http: get(url), fields: [field] },
          identity: [`X-Engine-Token: ${TOKEN}`, `X-Client-IP: ${client}`],
        })
        const port = engine.icapPort as number
        const [response] = await ask(port, reqmod(message(CLIENT)))
        const [, query = ''] = /Location: \S+\?(\S+)/.exec(response?.http ?? '') ?? []
        assert.equal((await engine.acknowledge(query)).status, 302, field)
        assert.equal(await outcome(port, message(CLIENT)), 'allowed', field)
        assert.equal(await outcome(port, message(OTHER)), '302', field)
        await engine.administer('sessions/end', { all: true })
      }
    })
  }

  test('the JSON call: no user', async () => {
    for (const name of ['-', '(null)', 'WinNT:///', 'SCHOOL\\']) {
      assert.equal(await enter('lab.example', '1111', name), 429)
      assert.equal(await enter('lab.example', '80361', name, OTHER), 302)
      assert.equal((await plain.administer('sessions/list', { user: name })).status, 400)
      await plain.administer('sessions/end', { all: true })
      await plain.administer('lockouts/end', { all: true })
    }
  })

  test('control: a user has one session at every address', async () => {
    const url = 'http://caution.example/'
    assert.equal((await plain.acknowledge(await plain.verdict(url, CLIENT, 'null'))).status, 302)
    assert.equal((await plain.decide(url, OTHER, 'null')).json.verdict, 'allow')
    assert.equal((await plain.decide(url, OTHER, 'anonymous')).json.verdict, 'warn')
    assert.equal((await plain.decide('http://named.example/', OTHER, 'alice')).json.verdict, 'block')
  })
})

// Seen: a directory accepts `ａｌｉｃｅ` and `al<U+200B>ice` for alice, and a proxy reports the name as it was typed. The engine
// compared names in lower case and NFC only, since rules have had users: such a name was in no group, had attempts of its own
// at each code, and the sessions that an administrator ended by the name continued.
describe('an invisible character made another user', () => {
  const typed = ['ａｌｉｃｅ', 'al\u200bice', '\ufeffalice', 'alice\u00ad', 'a\u{e0020}lice', 'alice\u00a0', 'Ａlice']
  for (const name of [...typed, 'ALICE']) {
    test(`${name === 'ALICE' ? 'control: ' : ''}${JSON.stringify(name)} is alice`, async () => {
      assert.ok(await isStudent(name))
      assert.equal(await enter('library.example', '11111', 'alice'), 403)
      assert.equal(await enter('library.example', '22222', name), 429)
      assert.equal((await plain.administer('lockouts/end', { user: name })).json.ended, 1)
      assert.equal(await enter('library.example', '80361', name), 302)
      assert.equal((await plain.administer('sessions/end', { user: 'alice' })).json.ended, 1)
    })
  }
  test('control: somebody else', async () => {
    assert.equal(await isStudent('alicia'), false)
    assert.equal(await enter('library.example', '11111', 'alice'), 403)
    assert.equal(await enter('library.example', '22222', 'alicia'), 403)
  })
})

// Seen: in the file of a group, `anna # teaches` was a user of that name, and anna was in no group: a rule that stops the group did
// not stop her. Since groups have had files. `clara,dora` is still one user, because names may have nearly any character, but now
// with a warning.
describe('a comment was part of a user', () => {
  test('a name with a comment is a user', async () => {
    assert.ok((await isStudent('anna')) && (await isStudent('ben')))
    assert.equal(await isStudent('anna # teaches'), false)
  })
  test('a line with a comma is reported', async () => {
    const { warnings } = (await plain.administer('reload', {})).json
    assert.match(
      `${warnings}`,
      /students\.txt has lines that may not be one user: line 3 has a .*, line 4 has a comma$/,
    )
  })
  test('control: a name alone and a comment alone have always been understood', async () => {
    assert.ok(await isStudent('fred'))
    assert.equal(await isStudent('erin'), false)
  })
})

// Seen: behind a FortiGate with users, no page opened. It sends `X-Authenticated-User: WinNT://SCHOOL/alice` as it is, without
// base64, to a path such as `/reqmod/TOKEN/`; both were ICAP 400 and 403, and so was a request after an empty line. Since there is
// an ICAP listener. ProxySG, which sends base64, was not affected.
describe('users of a FortiGate were refused', () => {
  const inPath = { uri: `icap://engine.example/reqmod/${TOKEN}/`, identity: ['X-Client-IP: 198.51.100.7'] }
  const decided = (user: string, message: object) =>
    outcome(plain.icapPort as number, {
      ...message,
      http: get('http://named.example/'),
      fields: [`X-Authenticated-User: ${user}`],
    })
  test('a user in clear, and a path that ends in a slash', async () => {
    assert.equal(await decided('WinNT://SCHOOL/alice', inPath), '302')
    assert.equal(await decided('WinNT://SCHOOL/bob', inPath), 'allowed')
  })
  test('control: a user in base64', async () => {
    assert.equal(await decided(encoded('WinNT://SCHOOL/alice'), {}), '302')
  })
})
