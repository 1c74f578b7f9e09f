// The keytab of PROXY_AUTH: which one Squid's helper uses, and what is wrong with it.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { kerberosKeys, keytabFault, principalsOf } from '../../src/proxy/settings/keytab.ts'
import { directivesFault } from '../../src/proxy/settings/settings.ts'
import { signInReport } from '../../src/proxy/settings/sign-in-report.ts'
import { kerberosRefusals } from '../../src/proxy/squid/kerberos-refusals.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder({ after })
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const number = (value: number, bytes: 2 | 4) => {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 2) buffer.writeUInt16BE(value)
  else buffer.writeInt32BE(value)
  return buffer
}
const text = (value: string) => Buffer.concat([number(Buffer.byteLength(value), 2), Buffer.from(value)])

/** As msktutil writes it: an AES key of version 2. */
function entry(principal: string): Buffer {
  const [name = '', realm = ''] = principal.split('@')
  const parts = name.split('/')
  const key = [number(1, 4), number(0, 4), Buffer.from([2]), number(18, 2), number(32, 2), Buffer.alloc(32, 7)]
  const body = Buffer.concat([number(parts.length, 2), text(realm), ...parts.map(text), ...key])
  return Buffer.concat([number(body.length, 4), body])
}
const hole = (bytes: number) => Buffer.concat([number(-bytes, 4), Buffer.alloc(bytes, 1)])
const keytab = (...entries: readonly Buffer[]) => Buffer.concat([Buffer.from([5, 2]), ...entries])

const PROXY = 'HTTP/proxy.school.example@SCHOOL.EXAMPLE'
const HELPER = '/usr/lib/squid/negotiate_kerberos_auth'

describe('the helper that uses a keytab', () => {
  const line = (words: string) => `auth_param negotiate program ${words}\n`
  test('its keytab and principal', () => {
    for (const [auth, expected] of [
      [line(`${HELPER} -k /etc/k -s ${PROXY}`), { keytab: '/etc/k', principal: PROXY }],
      [line(`${HELPER} -s ${PROXY} -k FILE:/etc/k -r`).replace('\n', '\r\n'), { keytab: '/etc/k', principal: PROXY }],
      [line(`"${HELPER}" "-k" "/etc/k"`), { keytab: '/etc/k', principal: undefined }],
      [line(`${HELPER} -k /etc/k -s GSS_C_NO_NAME`), { keytab: '/etc/k', principal: undefined }],
      [
        line(`/x/negotiate_wrapper_auth --ntlm /x/ntlm_auth --kerberos ${HELPER} -k /a`),
        { keytab: '/a', principal: undefined },
      ],
      [line(`${HELPER} \\\n -k /etc/schlüssel`), { keytab: '/etc/schlüssel', principal: undefined }],
      [line(`${HELPER} -k /a`) + line(`${HELPER} -k /b`), { keytab: '/b', principal: undefined }],
      [line(`${HELPER} -k /a`) + line('/x/ntlm_auth'), undefined],
      // From the library's own settings.
      [line(`${HELPER} -s ${PROXY}`), undefined],
      [line(`${HELPER} -k`), undefined],
      [line(`${HELPER} -k MEMORY:x`), undefined],
      [`# ${line(`${HELPER} -k /a`)}`, undefined],
      [line(`${HELPER}_test -k /a`), undefined],
      [line(`${HELPER} -k /a`).replace('negotiate', 'basic'), undefined],
      ['', undefined],
    ] as const) {
      assert.deepEqual(kerberosKeys(auth), expected, auth)
    }
  })

  test('PROXY_AUTH is not accepted, and one that breaks later is reported once', () => {
    const keys = join(folder, 'later')
    const auth = file('auth.conf', line(`${HELPER} -k ${keys} -s ${PROXY}`))
    assert.equal(directivesFault(auth, ''), `must not name a keytab that does not exist: ${keys}`)
    file('later', keytab(entry(PROXY)))
    assert.equal(directivesFault(auth, ''), undefined)
    const log: string[] = []
    const report = signInReport(auth, (said) => log.push(said))
    assert.deepEqual(report.files, [keys])
    const good = report.keytab()
    report.check()
    file('later', '')
    for (let count = 0; count < 2; count++) report.check()
    assert.deepEqual(log, [
      `nobody can sign in by Kerberos: ${auth} names a keytab that is none, or is not whole: ${keys}`,
    ])
    assert.equal(report.keytab(), undefined)
    file('later', keytab(entry(PROXY), entry(PROXY)))
    report.check()
    assert.equal(log.length, 1)
    assert.ok(report.keytab() !== undefined && report.keytab() !== good)
  })
})

describe('a keytab', () => {
  const fault = (content: string | Buffer, principal?: string) =>
    keytabFault({ keytab: file('keytab', content), principal })?.replaceAll(folder, '')

  test('with a key for the principal, or without', () => {
    const good = keytab(entry('gateway-proxy@SCHOOL.EXAMPLE'), hole(20), entry(PROXY))
    assert.equal(fault(good, PROXY), undefined)
    assert.equal(fault(good), undefined)
    assert.equal(fault(good, 'HTTP/proxy.school.example'), undefined)
    assert.equal(fault(Buffer.concat([good, number(0, 4), Buffer.from('what was there before')]), PROXY), undefined)
    const other = keytab(...['a@B', 'HTTP/PROXY.school.example@SCHOOL.EXAMPLE', 'a@B', 'c@D', 'e"\n@F'].map(entry))
    assert.equal(
      fault(other, PROXY),
      `without a key for "${PROXY}": /keytab has "a@B", "HTTP/PROXY.school.example@SCHOOL.EXAMPLE", "c@D", …`,
    )
    assert.equal(fault(other, 'HTTP/proxy.school'), fault(other, PROXY)?.replace(PROXY, 'HTTP/proxy.school'))
    assert.equal(fault(keytab(entry('e"\n@F'))), 'without a key for "HTTP/…": /keytab has "e\\"\\u{a}@F"')
    assert.equal(fault(keytab(), PROXY), `without a key for "${PROXY}": /keytab has no keys`)
  })

  test('that is none', () => {
    const whole = keytab(entry(PROXY))
    for (const content of ['', '\x05', 'password', Buffer.from([5, 1]), Buffer.from([5, 2, 0]), keytab(number(5, 4))]) {
      assert.equal(fault(content), 'that is none, or is not whole: /keytab')
    }
    for (let length = 3; length < whole.length; length++) {
      assert.equal(principalsOf(whole.subarray(0, length)), undefined, `${length}`)
    }
    mkdirSync(join(folder, 'empty'))
    assert.match(keytabFault({ keytab: join(folder, 'empty'), principal: PROXY }) ?? '', /^that cannot be read: .* \(/)
  })

  test('of any content: what was written is found, and nothing else is accepted or throws', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((one) => one.replaceAll(/[@/]/g, 'x'))
    const principal = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), word)
      .map(([names, realm]) => `${names.join('/')}@${realm}`)
    fc.assert(
      fc.property(fc.array(principal), fc.nat(40), (principals, gap) => {
        const entries = principals.flatMap((one) => [entry(one), ...(gap === 0 ? [] : [hole(gap)])])
        assert.deepEqual(principalsOf(keytab(...entries)), principals)
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const one of principalsOf(keytab(Buffer.from(bytes))) ?? []) assert.match(one, /@/s)
      }),
    )
  })
})

describe('tickets that the helper refuses', () => {
  const refused = (message: string) =>
    `2026/11/26 20:41:00 kid1| ERROR: Negotiate Authentication validating user. Result: {result=BH, notes={message: ${message}; }}`
  const gss = (message: string) =>
    refused(
      `gss_accept_sec_context() failed: Unspecified GSS failure.  Minor code may provide more information. ${message}`,
    )

  test('each reason once in ten minutes, as one line', () => {
    const log: string[] = []
    let time = 0
    const isRefusal = kerberosRefusals(
      (line) => log.push(line),
      () => time,
    )
    const stale = gss(`Cannot find key for ${PROXY} kvno 2 in keytab`)
    for (let count = 0; count < 3; count++) {
      assert.ok(isRefusal(stale))
      assert.ok(isRefusal(refused(`something new ${count}\u202e`)))
    }
    assert.ok(isRefusal(gss('Clock skew too great')))
    assert.deepEqual(log, [
      `sign-in by Kerberos refused: the keytab does not have the key of this ticket: the account has another password; create the keytab again (Cannot find key for ${PROXY} kvno 2 in keytab)`,
      'sign-in by Kerberos refused: something new 0?',
      'sign-in by Kerberos refused: the clocks of this machine and of a device differ by more than five minutes (Clock skew too great)',
    ])
    time = 599_999
    isRefusal(stale)
    assert.equal(log.length, 3)
    time = 600_000
    isRefusal(stale)
    assert.equal(log.length, 4)
    isRefusal(refused('x'.repeat(10_000)))
    assert.ok((log.at(-1) ?? '').length < 300)
  })

  test('other lines are not', () => {
    const isRefusal = kerberosRefusals(
      () => assert.fail(),
      () => 0,
    )
    for (const line of [
      '',
      '2026/11/26 20:41:00| ERROR: Basic Authentication validating user. Result: {result=BH, notes={message: x; }}',
      `2026/11/26 20:41:00| WARNING: ${refused('x')}`,
    ]) {
      assert.ok(!isRefusal(line), line)
    }
  })
})
