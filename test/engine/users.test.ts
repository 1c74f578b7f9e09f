// One person is one user: a session, a lockout and a membership hold for every form of a name, at every door.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cleanup } from '../support/cleanup.ts'
import { rule } from '../support/rules.ts'
import { ask, outcome } from './icap/icap-client.ts'
import { get, reqmod, TOKEN } from './icap/messages.ts'
import { CLIENT, policy, type RunningEngine, startEngine } from './running-engine.ts'

const STRIP = `[users]
strip = ['SCHOOL\\', "school/", "@school.example"]`
const RULES = `
${rule('caution', 'warn', 'match = ["caution.example"]')}
${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "80361", attempts = 4 }')}
${rule('games', 'block', 'match = ["games.example"]', 'groups = ["students"]', 'except = { users = ["SCHOOL\\\\monitor"] }')}
${rule('exam', 'block', 'match = ["exam.example"]', 'users = ["Ａｌｉｃｅ@school.example", "carol@other.example"]')}
[groups]
students = { users = ["alice", 'SCHOOL\\monitor'], file = "students.txt" }
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
`
const files = { 'icap-token': TOKEN, 'students.txt': 'SCHOOL\\Ben\ndora@school.example\nEve@other.example\n' }
const start = (t: Cleanup, strip = STRIP) => startEngine(t, policy(`${RULES}${strip}`), { files })

/** Of alice, if the policy has that `strip`. */
const FORMS = [
  ...['alice', 'ALICE', 'ａｌｉｃｅ', 'al\u200bice', '\u00adalice ', 'SCHOOL\\Alice', 'school/alice'],
  ...['Alice@School.Example', 'ＳＣＨＯＯＬ＼alice', 'SCHOOL\\alice@school.example'],
]
const OTHERS = ['bob', 'alice@other.example', 'OTHER\\alice', 'alice.school', 'alıce']

const base64 = (text: string) => Buffer.from(text).toString('base64')
const username = (name: string) => `X-Client-Username: ${Buffer.from(name).toString('latin1')}`
const authenticated = (name: string) => `X-Authenticated-User: ${base64(`WinNT://${name}`)}`

/** What the doors decide about a user's request: the JSON call, and each field of ICAP. */
async function decisions(engine: RunningEngine, url: string, user: string): Promise<string[]> {
  const port = engine.icapPort as number
  const byIcap = (field: string) => outcome(port, { http: get(url), fields: [field] })
  const { verdict } = (await engine.decide(url, CLIENT, user)).json
  return [String(verdict), await byIcap(username(user)), await byIcap(authenticated(user))]
}
const ALLOWED = ['allow', 'allowed', 'allowed']
const stopped = (verdict: string) => [verdict, '302', '302']

test('a session of one form of a name holds for all, and for nobody else', async (t) => {
  const engine = await start(t)
  const url = 'http://caution.example/page'
  const list = async (user: string) => {
    const { sessions } = (await engine.administer('sessions/list', { user })).json
    return (sessions as Record<string, unknown>[]).map((session) => session.user)
  }
  for (const [at, form] of FORMS.entries()) {
    assert.deepEqual(await decisions(engine, url, form), stopped('warn'), form)
    const fields = [at % 2 === 0 ? username(form) : authenticated(form)]
    const [response] = await ask(engine.icapPort as number, reqmod({ http: get(url), fields }))
    const [, query = ''] = /Location: \S+\?(\S+)/.exec(response?.http ?? '') ?? []
    assert.equal((await engine.acknowledge(query)).status, 302)
    for (const other of FORMS) {
      assert.deepEqual(await decisions(engine, url, other), ALLOWED, `${form}, then ${other}`)
      assert.deepEqual(await list(other), ['alice'])
    }
    for (const other of OTHERS) assert.deepEqual(await decisions(engine, url, other), stopped('warn'), other)
    const { json } = await engine.administer('why', { url, client: CLIENT, user: FORMS.at(at - 1) })
    assert.deepEqual([json.because, (json.request as { user: string }).user], ['session', 'alice'])
    assert.deepEqual((await engine.administer('sessions/end', { user: FORMS.at(-at) })).json, { ended: 1 }, form)
  }
  const users = new Set(engine.logged().map(({ user }) => user))
  assert.deepEqual(users, new Set(['alice', 'bob', 'alice@other.example', 'other\\alice', 'alice.school', 'alıce']))
})

test('wrong codes are counted over all forms of a name', async (t) => {
  const engine = await start(t)
  const forms = ['SCHOOL\\alice', 'ａｌｉｃｅ', 'alice@school.example', 'al\u200bice', 'Alice']
  const statuses: number[] = []
  for (const [at, form] of forms.entries()) {
    const verdict = await engine.verdict('https://lab.example/', CLIENT, form)
    statuses.push((await engine.acknowledge(verdict, `1000${at}`)).status)
  }
  assert.deepEqual(statuses, [403, 403, 403, 429, 429])
  const other = await engine.verdict('https://lab.example/', CLIENT, 'alice@other.example')
  assert.equal((await engine.acknowledge(other, '80361')).status, 302)
  const { lockouts } = (await engine.administer('lockouts/list', { user: 'school/ALICE' })).json
  assert.deepEqual(
    (lockouts as Record<string, unknown>[]).map(({ user }) => user),
    ['alice'],
  )
  assert.deepEqual((await engine.administer('lockouts/end', { user: 'alice@SCHOOL.example' })).json, { ended: 1 })
  const again = await engine.verdict('https://lab.example/', CLIENT, 'alice')
  assert.equal((await engine.acknowledge(again, '80361')).status, 302)
})

test('a group, its file, a rule and an exception name a user in any form', async (t) => {
  const engine = await start(t)
  const games = 'http://games.example/'
  const listed = ['ben', 'BEN@school.example', 'school/be\u200bn', 'dora', 'SCHOOL\\Dora', 'eve@other.example']
  for (const user of [...FORMS, ...listed])
    assert.deepEqual(await decisions(engine, games, user), stopped('block'), user)
  for (const user of [...OTHERS, 'eve', 'SCHOOL\\eve', 'monitor', 'monitor@school.example']) {
    assert.deepEqual(await decisions(engine, games, user), ALLOWED, user)
  }
  const exam = 'http://exam.example/'
  for (const user of [...FORMS, 'Carol@Other.example']) {
    assert.deepEqual(await decisions(engine, exam, user), stopped('block'), user)
  }
  for (const user of [...OTHERS, 'carol']) assert.deepEqual(await decisions(engine, exam, user), ALLOWED, user)
})

test('two fields may name one user in two forms, and not two users', async (t) => {
  const port = (await start(t)).icapPort as number
  const http = get('http://exam.example/')
  for (const form of FORMS) {
    for (const other of FORMS) {
      assert.equal(await outcome(port, { http, fields: [username(form), authenticated(other)] }), '302')
    }
    for (const other of OTHERS) {
      assert.equal(await outcome(port, { http, fields: [username(form), authenticated(other)] }), 'ICAP 400', other)
    }
  }
})

test('a reload changes who a name is', async (t) => {
  const engine = await start(t, '')
  const reload = async (strip: string) => {
    await engine.write(policy(`${RULES}${strip}`))
    assert.deepEqual(await engine.policies.reload(), { result: 'loaded', problems: [], warnings: [] })
  }
  const games = 'http://games.example/'
  assert.deepEqual(await decisions(engine, games, 'alice@school.example'), ALLOWED)
  assert.deepEqual(await decisions(engine, games, 'ben'), ALLOWED)
  const caution = 'http://caution.example/'
  for (const user of ['SCHOOL\\alice', 'bob']) {
    assert.equal((await engine.acknowledge(await engine.verdict(caution, CLIENT, user))).status, 302)
  }
  assert.deepEqual(await decisions(engine, caution, 'SCHOOL\\alice'), ALLOWED)
  const { reference } = (await engine.decide('http://exam.example/', CLIENT, 'alice@school.example')).json

  await reload(STRIP)
  assert.deepEqual(await decisions(engine, games, 'alice@school.example'), stopped('block'))
  assert.deepEqual(await decisions(engine, games, 'ben'), stopped('block'))
  assert.deepEqual(await decisions(engine, caution, 'SCHOOL\\alice'), stopped('warn'), 'its session had another name')
  assert.deepEqual(await decisions(engine, caution, 'bob'), ALLOWED)
  // As today's policy reads the name, like its rules.
  const why = (await engine.administer('why', { reference })).json
  assert.equal((why.request as { user: string }).user, 'alice')

  await reload('')
  assert.deepEqual(await decisions(engine, caution, 'SCHOOL\\alice'), ALLOWED)
  assert.deepEqual(await decisions(engine, games, 'ben'), ALLOWED)
})
