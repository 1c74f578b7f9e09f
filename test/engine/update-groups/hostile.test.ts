// Directories that return part of a group, and connections that end or were tampered with: no file changes.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isOneMessage } from '../../../src/engine/update-groups/directory.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { type Answer, done, entry, startHostileDirectory } from './hostile-directory.ts'
import { groupsFolder } from './run.ts'

const GROUP = 'CN=Staff,DC=school,DC=example'
const ANNA = 'CN=Anna,DC=school,DC=example'
const user = (dn: string) => entry(dn, { objectClass: ['top', 'user'], sAMAccountName: [dn.split(/[=,]/)[1] ?? ''] })
const groupOf = (...members: string[]) =>
  entry(GROUP, { objectClass: ['top', 'group'], sAMAccountName: ['Staff'], member: members })

async function updateFrom(t: Parameters<typeof startHostileDirectory>[0], answer: Answer, surplus?: Buffer) {
  const { url, seen, saveCa } = await startHostileDirectory(t, answer, surplus)
  const files = groupsFolder(t)
  files.write('staff.txt', 'anna\n')
  const caFile = saveCa(join(files.folder, '..', 'given-ca.pem'))
  const conf = { servers: [url], base: 'DC=school,DC=example', account: 'a', password: 'secret', caFile }
  const groups = { 'staff.txt': GROUP, 'more.txt': GROUP }
  const { status, lines } = await files.update({ ...conf, attribute: 'sAMAccountName', groups })
  return { status, lines, seen, read: files.read }
}

test('a group of Active Directory with more members than one response has', { skip: skipWithoutOpenssl }, async (t) => {
  const all = Array.from({ length: 350 }, (_, index) => `CN=u${index},DC=school,DC=example`)
  const { status, lines, read } = await updateFrom(t, ({ base, attributes }) => {
    if (base !== GROUP) return [user(base), done()]
    const start = Number(/range=(\d+)/.exec(attributes.join())?.[1] ?? 0)
    const end = Math.min(start + 150, all.length)
    const range = `member;range=${start}-${end === all.length ? '*' : end - 1}`
    return [entry(GROUP, { objectClass: ['group'], member: [], [range]: all.slice(start, end) }), done()]
  })
  assert.deepEqual([status, lines], [0, ['staff.txt: updated; users: 350', 'more.txt: updated; users: 350']])
  assert.equal(read('staff.txt').split('\n').length, 351)
})

test('contacts, computers and disabled references are no users', { skip: skipWithoutOpenssl }, async (t) => {
  const { lines } = await updateFrom(t, ({ base }) => {
    if (base === GROUP) return [groupOf(ANNA, 'CN=PC,DC=x', 'CN=Contact,DC=x', 'CN=Deleted,DC=x'), done()]
    if (base.startsWith('CN=PC'))
      return [entry(base, { objectClass: ['user', 'computer'], sAMAccountName: ['PC$'] }), done()]
    if (base.startsWith('CN=Contact')) return [entry(base, { objectClass: ['contact'] }), done()]
    return base === ANNA ? [user(base), done()] : [done(32)]
  })
  assert.equal(lines[0], 'staff.txt: updated; users: 1; members without a name: 3')
})

const PARTIAL: Readonly<Record<string, readonly [answer: Answer, fault: RegExp]>> = {
  'a range that does not continue': [
    ({ base }) =>
      base === GROUP
        ? [entry(GROUP, { objectClass: ['group'], 'member;range=0-1': [ANNA, 'CN=b,DC=x'] }), done()]
        : [user(base), done()],
    /^staff\.txt: the directory returned only some members$/,
  ],
  'an exceeded size limit': [({ base }) => (base === GROUP ? [groupOf(ANNA), done(4)] : [user(base), done()]), /0x4/],
  'a referral': [({ base }) => (base === GROUP ? [groupOf(ANNA), done()] : [done(10)]), /refers to another server$/],
  'a connection that ends': [({ base }) => (base === GROUP ? [groupOf(ANNA), done()] : 'close'), /[Cc]onnection/],
  'an internal error': [({ base }) => (base === GROUP ? [groupOf(ANNA), done()] : [done(80)]), /0x50/],
  'no permission': [() => [done(50)], /the account may not read this$/],
}

for (const [what, [answer, fault]] of Object.entries(PARTIAL)) {
  test(`${what}: the file stays, and nothing is read without an account`, { skip: skipWithoutOpenssl }, async (t) => {
    const { status, lines, seen, read } = await updateFrom(t, answer)
    assert.equal(status, 1)
    assert.equal(lines.length, 2, lines.join('\n'))
    assert.match(lines[0] ?? '', fault)
    assert.equal(read('staff.txt'), 'anna\n')
    assert.equal(seen.connections, 1)
  })
}

test('what follows the response to StartTLS without TLS ends the connection before the password is sent', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  for (const surplus of [Buffer.from('300c02010261070a01000400', 'hex'), Buffer.from('30', 'hex')]) {
    const { status, lines, seen } = await updateFrom(t, () => [done()], surplus)
    assert.equal(status, 1)
    assert.match(lines.join('\n'), /the server sent more before TLS than its response$/)
    assert.ok(!seen.operations.includes(0x60))
  }
})

test('the length of a message in BER', () => {
  const is = (hex: string) => isOneMessage(Buffer.from(hex, 'hex'))
  assert.ok(is('3000') && is('30020102') && is('30810101') && is('30840000000101'))
  for (const hex of ['', '30', '3001', '300201', '3002010203', '31020102', '3081', '308502']) assert.ok(!is(hex), hex)
})

test('settings: every problem at once, without the password; wrong arguments', async (t) => {
  const { run, conf, folder } = groupsFolder(t)
  writeFileSync(
    conf,
    `[ldap]
servers = ["https://x", "ldaps://dc1/dc=x", "ldaps://a:b@dc1"]
base = ""
password_file = "missing"
user_attribute = "a)(b"
ca = "x"
[groups]
"../x" = "Staff"
".hidden" = "Staff"
"staff.txt.new" = "Staff"
`,
  )
  const { status, lines } = await run(conf, folder)
  assert.equal(status, 2)
  assert.deepEqual(lines[0], 'The configuration has 10 problems:')
  assert.doesNotMatch(lines.join('\n'), /a:b/)
  assert.match((await run(conf)).lines[0] ?? '', /^Usage: engine update-groups GROUPS\.TOML FOLDER /)
})
