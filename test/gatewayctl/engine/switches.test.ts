// `engine switch` and `engine code` against a running engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocks } from '../../deploy/command-blocks.ts'
import { policy } from '../../engine/running-engine.ts'
import { rule } from '../../support/rules.ts'
import { startAdministered } from './against-engine.ts'

const RULES = policy(`
  ${rule('exam', 'block', 'switch = "exam"', 'match = ["any.example"]')}
  ${rule('quiz', 'block', 'switch = "quiz"')}
  ${rule('videos', 'warn', 'match = ["video.example"]', 'override = { type = "pin", length = 6 }')}
  [rooms]
  12 = ["192.168.12.0/24", "2001:db8:12::/64"]`)
const PUPIL = '192.168.12.7'
const BY = ['--for', '3h', '--by', "Ms O'Rossi"]

test('a switch is turned on for a room, listed, and turned off', async (t) => {
  const engine = await startAdministered(t, RULES)
  const on = await engine.run(['switch', 'on', 'exam', '--room', '12', ...BY])
  assert.equal(
    on.stdout,
    `\
exam is on for room 12 (192.168.12.0/24) until 2027-01-15 12:00, by Ms O'Rossi.
exam is on for room 12 (2001:db8:12::/64) until 2027-01-15 12:00, by Ms O'Rossi.
`,
    on.stderr,
  )
  assert.equal(on.stderr, 'To turn it off earlier: gatewayctl engine switch off exam --room 12\n')
  assert.equal((await engine.decide('https://any.example/', PUPIL)).json.verdict, 'block')
  const everyone = await engine.run(['switch', 'on', 'exam', '--everyone', ...BY, '--json'])
  assert.equal(JSON.parse(everyone.stdout).switches[0].network, null)
  const list = await engine.run(['switch', 'list'])
  assert.equal(
    list.stdout,
    `\
switch  for                         created_at        expires_at        by
exam    everyone                    2027-01-15 09:00  2027-01-15 12:00  Ms O'Rossi
exam    room 12 (192.168.12.0/24)   2027-01-15 09:00  2027-01-15 12:00  Ms O'Rossi
exam    room 12 (2001:db8:12::/64)  2027-01-15 09:00  2027-01-15 12:00  Ms O'Rossi
`,
  )
  assert.match(list.stderr, /^3 in all\. To turn one off: .*\nOff: quiz\n$/)
  const off = await engine.run(['switch', 'off', 'exam', '--room', '12'])
  assert.deepEqual([off.status, off.stdout], [0, 'exam is off for room 12.\n'])
  assert.equal(off.stderr, 'Still, it is on for everyone.\n')
  const not = await engine.run(['switch', 'off', 'exam', '--client', PUPIL])
  assert.deepEqual([not.status, not.stdout], [1, ''])
  assert.equal(not.stderr, 'error: exam was not on there; it is on for everyone\n')
  assert.equal((await engine.run(['switch', 'off', 'exam', '--all'])).stdout, 'exam is off everywhere.\n')
  assert.equal((await engine.decide('https://any.example/', PUPIL)).json.verdict, 'allow')
  assert.deepEqual(await engine.run(['switch', 'list']), {
    ...{ status: 0, stdout: '' },
    stderr: 'No switch is on.\nOff: exam, quiz\n',
  })
})

test('docs/gatewayctl.md: in an exam its sites are open, and all others closed, whatever the later rules say', async (t) => {
  const example = blocks('docs/gatewayctl.md').find(({ language }) => language === 'toml') ?? assert.fail()
  const later = rule('news', 'allow', 'match = ["news.example"]') + rule('sites', 'block', 'match = [".exam.example"]')
  const engine = await startAdministered(t, policy(`${example.text}${later}[rooms]\n12 = ["192.168.12.0/24"]`))
  const verdicts = async (client: string) => {
    const urls = ['https://www.exam.example/', 'https://news.example/', 'https://any.example/']
    const found = await Promise.all(urls.map((url) => engine.decide(url, client)))
    return found.map(({ json }) => json.verdict)
  }
  const before = await verdicts(PUPIL)
  await engine.run(['switch', 'on', 'exam', '--room', '12', ...BY])
  assert.deepEqual(before, ['block', 'allow', 'allow'])
  assert.deepEqual(await verdicts(PUPIL), ['allow', 'block', 'block'])
  assert.deepEqual(await verdicts('192.168.13.7'), before)
})

test('everyone has to be named, and what is no switch, room or duration turns on nothing', async (t) => {
  const engine = await startAdministered(t, RULES)
  for (const [args, why] of [
    [['exam', ...BY], /name --room, --client or --everyone/],
    [['exam', '--everyone', '--room', '12', ...BY], /cannot be used with/],
    [['exma', '--everyone', ...BY], /No rule has the switch "exma": the switches are "exam", "quiz"\./],
    [['exam', '--room', '13', ...BY], /"room" must be a room of \[rooms\] in the policy/],
    [['exam', '--everyone', '--for', '32d', '--by', 'x'], /at most 31 days/],
    [['exam', '--everyone', '--for', '3h'], /--by/],
  ] as const) {
    const { status, stdout, stderr } = await engine.run(['switch', 'on', ...args])
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
    assert.match(stderr, why)
  }
  assert.equal((await engine.run(['switch', 'off', 'exam'])).status, 2)
  assert.deepEqual(await engine.state.switchesOn(), [])
})

test('a lesson code is printed once, listed by its id, and ended', async (t) => {
  const engine = await startAdministered(t, RULES)
  const created = await engine.run(['code', 'new', '--rule', 'videos', '--for', '50m', '--by', 'Ms Rossi'])
  assert.match(created.stdout, /^[0-9]{6}\n$/, created.stderr)
  const [, id = ''] = /code end (\S+)\n$/.exec(created.stderr) ?? []
  assert.equal(
    created.stderr,
    `It opens the rule videos until 2027-01-15 09:50.\nTo end it earlier: gatewayctl engine code end ${id}\n`,
  )
  const list = await engine.run(['code', 'list'])
  assert.match(list.stdout, new RegExp(`\n${id} +videos +2027-01-15 09:00  2027-01-15 09:50  Ms Rossi\n$`))
  assert.ok(!list.stdout.includes(created.stdout.trim()))
  const query = await engine.verdict('https://video.example/')
  assert.equal((await engine.acknowledge(query, created.stdout.trim())).status, 302)
  assert.equal((await engine.run(['code', 'end', id])).stdout, 'The code has ended.\n')
  assert.equal((await engine.decide('https://video.example/')).json.verdict, 'warn')
  const again = await engine.run(['code', 'end', id])
  assert.deepEqual([again.status, again.stdout], [1, ''])
  const refused = await engine.run(['code', 'new', '--rule', 'exam', '--for', '50m'])
  assert.deepEqual([refused.status, refused.stdout], [2, ''])
  assert.match(refused.stderr, /The rule "exam" asks for no code: it has no override\./)
})
