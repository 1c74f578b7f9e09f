import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capitalName, passwordFile } from '../../src/proxy/settings/password-names.ts'

const PROGRAM = 'auth_param basic program /usr/lib/squid/basic_ncsa_auth /etc/gateway/passwords\n'

test('the file whose names Squid passes in lower case', () => {
  for (const [auth, file] of [
    [PROGRAM, '/etc/gateway/passwords'],
    [PROGRAM.replace('\n', '\r\n'), '/etc/gateway/passwords'],
    ['auth_param  basic\tprogram "/usr/lib/squid/basic_ncsa_auth" "/etc/passwords"\n', '/etc/passwords'],
    [`${PROGRAM}auth_param basic casesensitive off\n`, '/etc/gateway/passwords'],
    [`auth_param basic casesensitive on\n${PROGRAM}`, undefined],
    [`${PROGRAM}auth_param basic casesensitive on\n`, undefined],
    [`auth_param basic casesensitive on\n${PROGRAM}auth_param basic casesensitive off\n`, '/etc/gateway/passwords'],
    [`# ${PROGRAM}`, undefined],
    ['auth_param basic program /usr/lib/squid/basic_ldap_auth -b ou=People /etc/x\n', undefined],
    ['auth_param digest program /usr/lib/squid/basic_ncsa_auth /etc/gateway/passwords\n', undefined],
    ['auth_param basic program basic_ncsa_auth passwords\n', undefined],
    ['', undefined],
  ] as const) {
    assert.equal(passwordFile(auth), file, auth)
  }
})

test('the first name with a capital, with what to do', () => {
  const said = (text: string) => capitalName(text, '/etc/passwords', '/etc/auth')
  assert.equal(said('# Of the Staff\nben:x\nana:XYZ\n'), undefined)
  assert.equal(said(''), undefined)
  assert.equal(
    said('# Of the staff\nben:x\nAlice:y\nCarol:z\n'),
    "/etc/passwords, line 3: nobody can sign in as 'Alice': Squid passes names in lower case, however they are typed. Write 'alice', or 'auth_param basic casesensitive on' into /etc/auth",
  )
  assert.match(said('\nJos\u00e9X\u0007:y') ?? '', /line 2: nobody can sign in as 'Jos\?X\?': .* Write 'jos\?x\?'/)
  assert.match(said(`${'A'.repeat(100)}:y`) ?? '', /sign in as 'A{64}':/)
})
