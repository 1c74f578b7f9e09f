// Files of groups as spreadsheets, directories and editors write them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUsers } from '../../../src/engine/policy/group.ts'
import { configure, policy } from '../running-engine.ts'

test('# begins a comment, also right after a name, but not in the names of guests', () => {
  const text = [
    '\ufeff# staff\r\nanna # teaches\r\n  ben\t# both\rclara## x\n#david\n   # x\nMiller Smith # y \u2028 # z',
    'emma_mail.example#EXT#@school.example\nfred_mail.example#ext#@school.example # guest',
  ].join('\n')
  const guests = ['emma_mail.example#ext#@school.example', 'fred_mail.example#ext#@school.example']
  assert.deepEqual(parseUsers(text.slice(1), []), {
    users: ['anna', 'ben', 'clara', 'miller smith', ...guests],
    size: 6,
    faults: [],
    doubts: ['line 4 has a comment right after the name'],
  })
})

const DOUBTFUL: Readonly<Record<string, readonly string[]>> = {
  'has a comma': ['anna,ben', 'anna, Anna Smith, 5b'],
  'has a semicolon': ['anna;5b'],
  'has a colon': ['anna:x:1000:1000'],
  'has a vertical bar': ['anna | 5b'],
  'has a quotation mark': ['"anna"'],
  'has a comment that does not begin with #': ['anna // teaches', 'anna -- teaches'],
  'has a comment right after the name': ['anna#teaches'],
  'looks like an item of a list': ['- anna', '* anna', '• anna'],
  'looks like a heading': ['[staff]', '-----------', '=====  ====='],
}

test('a line that is probably not one user is named with the reason, and with none of its text', () => {
  for (const [doubt, lines] of Object.entries(DOUBTFUL)) {
    for (const line of lines) {
      const { users, doubts } = parseUsers(`zoe\n\n${line}\nyann\n`, [])
      assert.deepEqual(doubts, [`line 3 ${doubt}`], line)
      // A heading may also be what stands for nobody.
      assert.ok(users.length === 3 || doubt === 'looks like a heading', line)
    }
  }
})

test('a heading is recognised in the first line that is no comment', () => {
  for (const heading of [
    ...['User', 'users', 'username', 'User name', 'user_name', 'Name', 'sAMAccountName', 'UserPrincipalName', 'UPN'],
    ...['uid', 'User ID', 'Login', 'account', 'E-Mail', 'Benutzername', 'Anmeldename', 'Utilisateur', 'utente'],
  ]) {
    assert.deepEqual(parseUsers(`# x\n${heading}\nanna\n`, []).doubts, ['line 2 looks like a heading'], heading)
    assert.deepEqual(parseUsers(`anna\n${heading}\n`, []).doubts, [], heading)
  }
})

test('what directories and proxies have as names is no doubt', () => {
  const names = ['anna', 'Anna Smith', 'anna-maria', "o'neill", 'SCHOOL\\anna', 'SCHOOL/anna', 'anna@school.example']
  const more = ['müller', 'cn=Anna Smith,ou=Staff,dc=school', 'anna (office)', '4711', '--anna', 'ｕｓｅｒ']
  const text = [...names, ...more].join('\r\n')
  const { users, faults, doubts } = parseUsers(text, [])
  assert.deepEqual([users.length, faults, doubts], [13, [], []])
})

test('one warning has the lines of a file, and a tab remains a problem', () => {
  const toml = policy('[groups]\nstaff = { file = "staff.txt" }')
  const { warnings } = configure(toml, { 'staff.txt': `Name,Class\n${'anna,5b\n'.repeat(20)}` })
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 1} has a comma`).join(', ')
  const line = toml.split('\n').findIndex((one) => one.startsWith('staff')) + 1
  assert.match(
    `${warnings}`,
    new RegExp(
      `^policy\\.toml:${line}: groups\\.staff\\.file: \\S*staff\\.txt has lines that may not be one user: ${lines}, …$`,
    ),
  )
  assert.deepEqual(configure(toml, { 'staff.txt': 'anna\nben # both\n' }).warnings, [])
  assert.throws(
    () => configure(toml, { 'staff.txt': 'anna\t5b\n' }),
    /must name a file with one user per line \(line 1\)/,
  )
})
