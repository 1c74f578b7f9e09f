// A list that was a link to a file that only the engine may read was quoted in the log and in the response to a reload: of the
// engine's private key, the first ten lines. A user who updates lists, without further rights, could make such a link. Since lists
// have had malformed lines with text. Now only their numbers are named.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { policyFolder } from '../support/policy-engine.ts'

const POLICY = `[[lists]]
name = "games"
path = "games.txt"
[[rules]]
name = "games"
lists = ["games"]
action = "block"
`

/** As lists, what these files have. */
const SECRET_FILES = ['published/engine/ca.key', 'published/engine/state.key', 'secret', 'policy.toml']

test('a link to a secret is rejected without its text', { timeout: 60_000 }, async (t) => {
  const { folder, start } = policyFolder(t, POLICY)
  const list = join(folder, 'games.txt')
  writeFileSync(list, 'games.example\n')
  const engine = await start()
  for (const file of SECRET_FILES) {
    rmSync(list)
    symlinkSync(join(folder, file), list)
    const { problems } = await engine.administer('reload', { accept_losses: true })
    assert.match(`${problems}`, /malformed lines?: line 1/)
    const shown = `${JSON.stringify(engine.lines())}${problems}`
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    const secret = lines.filter((line) => line.length > 20 || line.startsWith('['))
    assert.ok(secret.length > 0)
    for (const line of secret) assert.ok(!shown.includes(line), `${file}: ${line}`)
  }
})

test('control: a list with a mistake always came into force, with the number of the line', {
  timeout: 60_000,
}, async (t) => {
  const { folder, start } = policyFolder(t, POLICY)
  writeFileSync(join(folder, 'games.txt'), 'games.example\n<html>\nchess.example\n')
  const engine = await start()
  assert.equal(await engine.verdict('chess.example'), 'block')
  assert.match(JSON.stringify(engine.lines()), /games\.txt has 1 malformed line: line 2/)
})
