// Groups of a real directory: OpenLDAP.
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { parseUsers } from '../../../src/engine/policy/group.ts'
import { groupsFolder } from './run.ts'
import { ACCOUNT, BASE, PASSWORD, skipWithoutSlapd, startSlapd } from './slapd.ts'

const dn = (name: string) => `cn=${name},${BASE}`

function person(name: string, uid = name): string {
  const value = /^[\w.-]+$/.test(uid) ? `uid: ${uid}` : `uid:: ${Buffer.from(uid).toString('base64')}`
  return `dn: ${dn(name)}\nobjectClass: inetOrgPerson\ncn: ${name}\nsn: x\n${value}\n\n`
}

function group(name: string, ...members: readonly string[]): string {
  const lines = members.map((member) => `member: ${dn(member)}\n`).join('')
  return `dn: ${dn(name)}\nobjectClass: groupOfNames\ncn: ${name}\n${lines}\n`
}

const MANY = Array.from({ length: 1200 }, (_, index) => `pupil${index}`)
const SCHOOL = [
  ...['anna', 'bruno', 'Chiara', 'dario'].map((name) => person(name)),
  person('hash', 'ha#sh'),
  person('lines', 'li\nroot'),
  ...MANY.map((name) => person(name)),
  `dn: ${dn('printer')}\nobjectClass: device\ncn: printer\n\n`,
  group('Staff', 'anna', 'Teachers', 'printer', 'deleted'),
  // In a circle.
  group('Teachers', 'bruno', 'Chiara', 'Staff', 'anna'),
  group('Pupils', ...MANY),
  group('Odd', 'hash', 'lines', 'dario'),
  group('Devices', 'printer'),
  group('a*)(cn=*', 'dario'),
  `dn: ${dn('Unix')}\nobjectClass: posixGroup\ncn: Unix\ngidNumber: 100\nmemberUid: dario\nmemberUid: anna\n\n`,
  `dn: ${dn('Old')}\nobjectClass: groupOfUniqueNames\ncn: Old\nuniqueMember: ${dn('dario')}\n\n`,
  `dn: ou=other,${BASE}\nobjectClass: organizationalUnit\nou: other\n\n`,
  `dn: cn=Twice,${BASE}\nobjectClass: groupOfNames\ncn: Twice\nmember: ${dn('anna')}\n\n`,
  `dn: cn=Twice,ou=other,${BASE}\nobjectClass: groupOfNames\ncn: Twice\nmember: ${dn('anna')}\n\n`,
  `dn: ou=elsewhere,${BASE}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://other.example/${BASE}\n\n`,
  `dn: ${dn('Far')}\nobjectClass: groupOfNames\ncn: Far\nmember: ${dn('anna')}\nmember: cn=x,ou=elsewhere,${BASE}\n\n`,
].join('')

describe('OpenLDAP', { skip: skipWithoutSlapd }, async () => {
  const { ldap, ldaps, caFile, server } = await startSlapd({ after }, SCHOOL)
  const settings = { servers: [ldaps], base: BASE, account: ACCOUNT, password: PASSWORD, caFile }

  test('nested groups of every kind, by name and by distinguished name, over LDAPS and StartTLS', async (t) => {
    const { update, read, write, names, folder } = groupsFolder(t)
    const groups = {
      'staff.txt': 'Staff',
      'teachers.txt': dn('Teachers').toUpperCase(),
      'pupils.txt': 'pupils',
      'odd.txt': 'Odd',
      'unix.txt': 'Unix',
      'old.txt': 'Old',
      'star.txt': 'a*)(cn=*',
    }
    write('odd.txt', 'dario\n')
    const left = '; members without a name: 2'
    const expected = (done: string) => [
      `staff.txt: ${done}; users: 3${left}`,
      `teachers.txt: ${done}; users: 3${left}`,
      `pupils.txt: ${done}; users: 1200`,
      `odd.txt: unchanged; users: 1; not usable in a group's file: "ha#sh", "li\\u{a}root"`,
      `unix.txt: ${done}; users: 2`,
      `old.txt: ${done}; users: 1`,
      `star.txt: ${done}; users: 1`,
    ]
    assert.deepEqual(await update({ ...settings, servers: [ldap], groups }), { status: 0, lines: expected('updated') })
    assert.equal(read('staff.txt'), 'anna\nbruno\nChiara\n')
    assert.equal(read('teachers.txt'), 'anna\nbruno\nChiara\n')
    assert.equal(statSync(join(folder, 'staff.txt')).mode & 0o777, 0o644)
    assert.deepEqual(parseUsers(read('pupils.txt'), []).users.toSorted(), MANY.toSorted())
    const { ino } = statSync(join(folder, 'staff.txt'))
    const servers = ['ldaps://127.0.0.1:1', ldaps]
    assert.deepEqual(await update({ ...settings, servers, groups }), { status: 0, lines: expected('unchanged') })
    assert.equal(statSync(join(folder, 'staff.txt')).ino, ino)
    assert.deepEqual(names().toSorted(), Object.keys(groups).toSorted())
  })

  test('a group that is missing, ambiguous, empty, elsewhere or no group keeps its file, and the others are updated', async (t) => {
    const { update, read, write } = groupsFolder(t)
    const faults: Readonly<Record<string, readonly [group: string, fault: string]>> = {
      'missing.txt': ['Missing', `the directory has no such group below ${BASE}`],
      'missing-dn.txt': [dn('Missing'), 'the directory has no such group'],
      'twice.txt': ['Twice', 'the directory has several groups of this name: write its distinguished name'],
      'empty.txt': ['Devices', 'the group has no users; members without a name: 1'],
      'person.txt': [dn('anna'), 'the entry is not a group'],
      'far.txt': ['Far', 'the directory refers to another server'],
    }
    for (const file of Object.keys(faults)) write(file, 'current\n')
    const groups = Object.fromEntries(Object.entries(faults).map(([file, [group]]) => [file, group]))
    const { status, lines } = await update({ ...settings, groups: { ...groups, 'unix.txt': 'Unix' } })
    assert.equal(status, 1)
    const elsewhere = await update({ ...settings, base: `ou=missing,${BASE}`, groups: { 'missing.txt': 'Staff' } })
    assert.deepEqual(elsewhere.lines, ['missing.txt: the directory has no entry of this name: check the base'])
    const expected = Object.entries(faults).map(([file, [, fault]]) => `${file}: ${fault}`)
    assert.deepEqual(lines.toSorted(), [...expected, 'unix.txt: updated; users: 2'].toSorted())
    for (const file of Object.keys(faults)) assert.equal(read(file), 'current\n')
  })

  test('a file that would lose half of its users stays, unless the loss is accepted or the file removed', async (t) => {
    const { update, read, write } = groupsFolder(t)
    const conf = { ...settings, groups: { 'staff.txt': 'Staff' } }
    const before = 'anna\nb\nc\nd\ne\nf\n'
    write('staff.txt', before)
    const { status, lines } = await update(conf)
    assert.equal(status, 1)
    assert.match(
      lines.join(),
      /^staff\.txt: must not lose half of its users; it has 3, and the last accepted one 6\. To accept it: --accept-losses/,
    )
    assert.equal(read('staff.txt'), before)
    assert.equal((await update(conf, '--accept-losses')).status, 0)
    assert.equal(read('staff.txt'), 'anna\nbruno\nChiara\n')
    write('staff.txt', before.slice(0, 10))
    assert.equal((await update(conf)).status, 0)
  })

  test('a server that cannot be reached, verified or signed in to changes nothing, and says why', async (t) => {
    const { update, names } = groupsFolder(t)
    const conf = { ...settings, groups: { 'staff.txt': 'Staff' } }
    const { caFile: _, ...withoutCa } = conf
    const byAddress = ldaps.replace('localhost', '127.0.0.1')
    const cases = [
      [{ ...conf, password: 'wrong' }, /: the account or its password is wrong$/],
      [{ ...withoutCa }, /\(?UNABLE_TO_VERIFY_LEAF_SIGNATURE\)?$/],
      [{ ...withoutCa, servers: [ldap] }, /\(?UNABLE_TO_VERIFY_LEAF_SIGNATURE\)?$/],
      [{ ...conf, servers: [byAddress] }, /does not match certificate's altnames.*$/],
      [{ ...conf, servers: [ldap.replace('localhost', '127.0.0.1')] }, /does not match certificate's altnames.*$/],
      [
        { ...conf, servers: ['ldaps://127.0.0.1:1', ldap.replace('ldap:', 'ldaps:')] },
        /127\.0\.0\.1:1: .*ECONNREFUSED.*; localhost:\d+: /,
      ],
    ] as const
    for (const [one, reason] of cases) {
      const { status, lines } = await update(one)
      assert.equal(status, 1)
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(lines[0] ?? '', /^no server of the directory can be used; all files stay as they are: /)
      assert.match(lines[0] ?? '', reason)
    }
    server.kill('SIGKILL')
    assert.equal((await update(conf)).status, 1)
    assert.deepEqual(names(), [])
  })
})
