// Seen: in the file of a group, `anna # teaches` was a user of that name, and anna was in no group: a rule that stops the group did
// not stop her. Since groups have had files. `clara,dora` is still one user, because names may have nearly any character, but now
// with a warning.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CLIENT, policy, startEngine } from '../engine/running-engine.ts'

const engine = await startEngine(
  { after },
  policy(
    '[groups]\nstudents = { file = "students.txt" }\n[[rules]]\nname = "students"\ngroups = ["students"]\naction = "block"',
  ),
  { files: { 'students.txt': 'anna # teaches\nben# both\nclara,dora\n# erin\nfred\n' } },
)

async function isStudent(name: string): Promise<boolean> {
  return (await engine.decide('http://games.example/', CLIENT, name)).json.verdict === 'block'
}

test('a name with a comment is a user', async () => {
  assert.ok(await isStudent('anna'))
  assert.ok(await isStudent('ben'))
  assert.equal(await isStudent('anna # teaches'), false)
})

test('a line with a comma is reported', async () => {
  const { warnings } = (await engine.administer('reload', {})).json
  assert.match(`${warnings}`, /students\.txt has lines that may not be one user: line 2 has a .*, line 3 has a comma$/)
})

test('control: a name alone and a comment alone have always been understood', async () => {
  assert.ok(await isStudent('fred'))
  assert.equal(await isStudent('erin'), false)
})
