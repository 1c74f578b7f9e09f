// Groups of a real directory: OpenLDAP.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { parseUsers } from '../../../src/engine/policy/group.ts'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { blocksRunBy } from '../../deploy/command-blocks.ts'
import { rule } from '../../support/rules.ts'
import { until } from '../../support/until.ts'
import { subjectFor } from '../request-for.ts'
import { policy, startEngine } from '../running-engine.ts'
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

  const staffPolicy = (folder: string) => `
    ${rule('staff-only', 'block', 'match = ["staff.example"]', 'except = { groups = ["staff"] }')}
    [groups]
    staff = { file = "${join(folder, 'staff.txt')}" }`

  /** The job's folder and an engine that reads the group in it. */
  async function folderWithEngine(t: TestContext, users: string) {
    const files = groupsFolder(t)
    files.write('staff.txt', users)
    const { policies, logged } = await startEngine(t, policy(staffPolicy(files.folder)))
    const isStaff = (user: string) =>
      findRule(policies.current, subjectFor('http://staff.example/', { user, at: Date.now() })) === undefined
    return { ...files, policies, logged, isStaff, conf: { ...settings, groups: { 'staff.txt': 'Staff' } } }
  }

  test('the loss of half of a group is accepted once, by the command that the documentation has', async (t) => {
    const before = 'anna\nb\nc\nd\ne\nf\n'
    const { update, read, folder, names, policies, logged, isStaff, conf } = await folderWithEngine(t, before)
    const left = '; members without a name: 2'
    for (const _ of ['now', 'an hour later']) {
      assert.deepEqual(await update(conf), {
        status: 1,
        lines: [
          `staff.txt: must not lose half of its users; it has 3, and the last accepted one 6. To accept it: cd ${folder} && mv -T staff.txt.new staff.txt${left}`,
        ],
      })
    }
    assert.equal(read('staff.txt'), before)
    assert.equal(
      read('staff.txt.new'),
      '# Putting this file in place accepts a loss: from 6 users to 3.\nanna\nbruno\nChiara\n',
    )
    assert.deepEqual((await policies.reload()).problems, [])
    assert.deepEqual([isStaff('f'), isStaff('bruno')], [true, false])

    const [command, ...others] = blocksRunBy(import.meta.filename, 'docs/policy.md')
    assert.deepEqual(others, [])
    const pasted = (command?.text ?? '').replace('/var/lib/gateway-groups', folder)
    execFileSync('sh', ['-ec', pasted], { stdio: 'pipe' })
    await until(() => isStaff('bruno'))
    assert.equal(isStaff('f'), false)
    assert.deepEqual(policies.last.problems, [])
    const warned = logged().filter(({ msg }) => /staff\.txt has 3 users instead of 6, as its first line/.test(`${msg}`))
    assert.deepEqual(
      warned.map(({ level }) => level),
      [40],
    )

    const accepted = read('staff.txt')
    assert.deepEqual((await update(conf)).lines, [`staff.txt: unchanged; users: 3${left}`])
    assert.deepEqual([names(), read('staff.txt')], [['staff.txt'], accepted])
    assert.deepEqual(await policies.reload(), { result: 'loaded', problems: [], warnings: [] })
  })

  test('the line in the log is a command; a file that is edited afterwards is compared as usual', async (t) => {
    const { update, read, write, policies, isStaff, conf } = await folderWithEngine(t, 'anna\nb\nc\nd\ne\nf\n')
    const [, command = ''] = /To accept it: (.*?);/.exec((await update(conf)).lines.join()) ?? []
    execFileSync('sh', ['-ec', command], { stdio: 'pipe' })
    await until(() => isStaff('bruno'))
    const accepted = read('staff.txt')
    write('staff.txt', accepted.replace('bruno\nChiara\n', ''))
    const { result, problems } = await policies.reload()
    assert.equal(result, 'kept')
    assert.match(`${problems}`, /it has 1, and the last accepted one 3\. To accept it: gatewayctl engine reload /)
    assert.equal(isStaff('bruno'), true)
    write('staff.txt', `${accepted}b\nc\nd\n`)
    assert.deepEqual((await policies.reload()).problems, [])
    // The same loss again, of a file from a backup.
    write('staff.txt', `${accepted}b\nc\nd\ne\n`)
    assert.deepEqual((await policies.reload()).problems, [])
    write('staff.txt', accepted)
    assert.match(`${(await policies.reload()).problems}`, /it has 3, and the last accepted one 7\./)
  })

  test('without a file to compare, the job accepts nothing: the engine does the comparison', async (t) => {
    const { update, read, write, folder, names, policies, isStaff, conf } = await folderWithEngine(
      t,
      'anna\nb\nc\nd\ne\nf\n',
    )
    rmSync(join(folder, 'staff.txt'))
    assert.equal((await update(conf)).status, 0)
    assert.equal(read('staff.txt'), 'anna\nbruno\nChiara\n')
    assert.match(`${(await policies.reload()).problems}`, /it has 3, and the last accepted one 6\./)
    assert.equal(isStaff('f'), true)
    // What the directory no longer says is not offered any longer.
    write('staff.txt', 'anna\nb\nc\nd\ne\nf\n')
    assert.equal((await update(conf)).status, 1)
    assert.deepEqual(names().toSorted(), ['staff.txt', 'staff.txt.new'])
    assert.equal((await update({ ...conf, groups: { 'staff.txt': 'Devices' } })).status, 1)
    assert.deepEqual(names(), ['staff.txt'])
    assert.equal((await update(conf)).status, 1)
    write('staff.txt', 'anna\nb\nc\nd\n')
    assert.equal((await update(conf)).status, 0)
    assert.deepEqual(names(), ['staff.txt'])
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
