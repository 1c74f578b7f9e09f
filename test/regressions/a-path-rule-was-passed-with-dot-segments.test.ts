// Seen: with a rule that blocks video.example/shorts, `curl --path-as-is https://video.example/shorts/ID/../..` was forwarded,
// and with a rule that allows video.example/lessons alone, `/shorts/ID/../../lessons` was. Rules compared the path that the URL
// parser makes of it, which resolves dot segments and takes a backslash for a slash; but the proxy forwards it as the visitor
// sent it, and a server may look no further than `/shorts/ID`. Encoded letters with dot segments that only some servers resolve
// (`/%73horts/ID/..;/..;/`) passed both forms that were compared. Since rules can name a path.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { outcome } from '../engine/icap/icap-client.ts'
import { TOKEN } from '../engine/icap/messages.ts'
import { policy, startEngine } from '../engine/running-engine.ts'

const RULES = (action: string, path: string) => `
[[rules]]
name = "path"
match = ["video.example${path}"]
action = "${action}"
[icap]
listen = "127.0.0.1:0"
token_file = "icap-token"
`
const files = { 'icap-token': TOKEN }
const blocking = await startEngine({ after }, policy(RULES('block', '/shorts')), { files })
const allowing = await startEngine({ after }, policy(RULES('allow', '/lessons'), 'default = "block"'), { files })

/** The same as the target's path and as a part of a URL. */
async function outcomes(port: number | undefined, path: string): Promise<readonly string[]> {
  const heads = [path, `http://video.example${path}`].map(
    (target) => `GET ${target} HTTP/1.1\r\nHost: video.example\r\n\r\n`,
  )
  return await Promise.all(heads.map((http) => outcome(port ?? 0, { http })))
}

for (const [path, expected] of [
  ['/shorts/ID/../..', '400'],
  ['/shorts/ID\\..\\..', '400'],
  ['/shorts/ID/%2e%2e/%2E%2E/', '400'],
  ['/shorts/ID/.%2e/%2e.', '400'],
  ['/%73horts/ID/..;/..;/', '302'],
  ['/%73horts/ID/..;/..;/x', '302'],
] as const) {
  test(`a rule that blocks /shorts: ${path}`, async () => {
    assert.deepEqual(await outcomes(blocking.icapPort, path), [expected, expected])
  })
}

for (const path of ['/shorts/ID/../../lessons', '/shorts\\..\\lessons', '/shorts/%2e%2E/lessons']) {
  test(`a rule that allows /lessons alone: ${path}`, async () => {
    assert.deepEqual(await outcomes(allowing.icapPort, path), ['400', '400'])
  })
}

test('control: paths that have one reading, and dot segments in names and in the query', async () => {
  for (const [path, expected] of [
    ['/shorts/ID', '302'],
    ['/watch/ID', 'allowed'],
    ['/watch/..ID/...?/../shorts/..', 'allowed'],
  ] as const) {
    assert.deepEqual(await outcomes(blocking.icapPort, path), [expected, expected], path)
  }
  assert.deepEqual(await outcomes(allowing.icapPort, '/lessons/1'), ['allowed', 'allowed'])
  assert.deepEqual(await outcomes(allowing.icapPort, '/shorts/1'), ['302', '302'])
})
