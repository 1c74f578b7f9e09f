// Basic authentication: the engine decides by user, also about what is decrypted, and the portal needs no password.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { PORTAL_HOST, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { openssl } from '../../test/support/certificates.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "games"
match = ["games.example"]
users = ["student"]
action = "block"
[users]
strip = ['SCHOOL\\', "@school.example"]
`

describe('users', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const folder = temporaryFolder({ after })
  const [passwords, auth] = [join(folder, 'passwords'), join(folder, 'auth.conf')]
  const hash = openssl(['passwd', '-apr1', 'one']).toString().trim()
  const forms = ['student', 'ｓｔｕｄｅｎｔ', 'stu\u200bdent', 'school\\student', 'student@school.example']
  const names = [...forms, 'teacher', 'student@other.example']
  const write = (...more: readonly string[]) =>
    writeFileSync(passwords, [...names, ...more].map((name) => `${name}:${hash}\n`).join(''))
  write('Alice', 'Carol')
  const build = execFileSync('/usr/sbin/squid', ['-v'], { timeout: 10_000 }).toString()
  const helpers = /'--libexecdir=([^']*)'/.exec(build)?.[1]
  const lines = [`program ${helpers}/basic_ncsa_auth ${passwords}`, 'realm Northwind', 'children 1']
  writeFileSync(auth, lines.map((line) => `auth_param basic ${line}\n`).join(''))
  const gateway = await startGateway(
    { after },
    {
      sites: { names: ['games.example', 'news.example', 'bank.example'] },
      policy: POLICY,
      published: { 'exempt-hosts': 'bank.example\n' },
      settings: { PROXY_AUTH: auth },
    },
  )
  const { request, sites, portal, log } = gateway
  const [student, teacher] = ['student:one', 'teacher:one']

  test('without a user, or with a wrong password: 407, and nothing is sent', async () => {
    for (const user of [undefined, 'student:wrong', 'nobody:one']) {
      const sent = user === undefined ? {} : { user }
      const { status, headers, body } = await request('http://news.example/', sent)
      assert.equal(status, 407)
      assert.equal(headers['proxy-authenticate'], 'Basic realm="Northwind"')
      assert.match(body, /Sign in to this network/)
      for (const host of ['news.example', 'bank.example']) {
        await assert.rejects(() => request(`https://${host}/`, sent), { status: 407 })
      }
    }
    assert.deepEqual(sites.received, [])
  })

  test('the engine decides by user; what is decrypted inherits the user of the tunnel', async () => {
    for (const scheme of ['http', 'https']) {
      assert.equal((await request(`${scheme}://games.example/`, { user: student })).status, 302)
      assert.equal((await request(`${scheme}://games.example/`, { user: teacher })).status, 200)
      assert.equal((await request(`${scheme}://news.example/`, { user: student })).status, 200)
    }
    await until(() => gateway.engine.decisions().some(({ user }) => user === 'student'))
    assert.ok(sites.received.every(({ headers }) => !('proxy-authorization' in headers)))
  })

  test('a user is the same in every form of the name that the proxy accepts', async () => {
    for (const scheme of ['http', 'https']) {
      for (const name of [...forms, 'SCHOOL\\Student', 'STUDENT@School.example']) {
        assert.equal((await request(`${scheme}://games.example/`, { user: `${name}:one` })).status, 302, name)
      }
      assert.equal((await request(`${scheme}://games.example/`, { user: 'student@other.example:one' })).status, 200)
    }
    assert.ok(gateway.engine.decisions().every(({ user }) => user === 'student'))
  })

  test('the portal, without a password', async () => {
    const { body } = await request(`https://${PORTAL_HOST}:${portal.https}/blocked`)
    assert.equal(body, 'the portal: /blocked')
  })

  // Seen: with `htpasswd /etc/gateway/passwords Alice`, Alice got 407 forever, and nothing said so: Squid passes names to the program in
  // lower case. Since there are users. Names in lower case can be typed in any case.
  test('the start names the line of a name with capitals; so does a change of the file', async () => {
    const status = async (name: string) => (await request('http://news.example/', { user: `${name}:one` })).status
    const at = names.length + 1
    assert.match(
      log(),
      RegExp(`^proxy: \\S+/passwords, line ${at}: nobody can sign in as 'Alice': .* Write 'alice', or `, 'm'),
    )
    assert.equal(await status('Alice'), 407)
    for (const name of ['teacher', 'Teacher', 'TEACHER']) assert.equal(await status(name), 200, `control: ${name}`)
    write('alice', 'Dora')
    await until(() => new RegExp(`line ${at + 1}: nobody can sign in as 'Dora'`).test(log()))
    await until(async () => (await status('Alice')) === 200)
  })
})
