// Seen: behind a FortiGate with users, no page opened. It sends `X-Authenticated-User: WinNT://SCHOOL/alice` as it is, without
// base64, to a path such as `/reqmod/TOKEN/`; both were ICAP 400 and 403, and so was a request after an empty line. Since there is
// an ICAP listener. ProxySG, which sends base64, was not affected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcome } from '../engine/icap/icap-client.ts'
import { get, TOKEN } from '../engine/icap/messages.ts'
import { policy, startEngine } from '../engine/running-engine.ts'

const RULES = `
[[rules]]
name = "games"
match = ["games.example"]
users = ["alice"]
action = "block"
[users]
strip = ["SCHOOL/"]
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
`
const inPath = { uri: `icap://engine.example/reqmod/${TOKEN}/`, identity: ['X-Client-IP: 198.51.100.7'] }

test('a user in clear, and a path that ends in a slash', async (t) => {
  const { icapPort } = await startEngine(t, policy(RULES), { files: { 'icap-token': TOKEN } })
  const decided = (user: string) =>
    outcome(icapPort as number, {
      ...inPath,
      http: get('http://games.example/'),
      fields: [`X-Authenticated-User: ${user}`],
    })
  assert.equal(await decided('WinNT://SCHOOL/alice'), '302')
  assert.equal(await decided('WinNT://SCHOOL/bob'), 'allowed')
})

test('control: a user in base64', async (t) => {
  const { icapPort } = await startEngine(t, policy(RULES), { files: { 'icap-token': TOKEN } })
  const user = Buffer.from('WinNT://SCHOOL/alice').toString('base64')
  const fields = [`X-Authenticated-User: ${user}`]
  assert.equal(await outcome(icapPort as number, { http: get('http://games.example/'), fields }), '302')
})
