// Two rooms, and phones whose users FreeRADIUS reports, through Squid: who is named, and who is not.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type RequestOptions, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { openssl } from '../../test/support/certificates.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { skipWithoutFreeradius, startFreeradius } from './freeradius.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const PHONES = '127.0.50.0/24'
const TOKEN = 'token-of-the-radius-server'
const [PHONE, OTHER_PHONE] = ['127.0.50.7', '127.0.50.8']

describe('people', { skip: skipWithoutGateway || skipWithoutFreeradius, timeout: 180_000 }, async () => {
  const folder = temporaryFolder({ after })
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const hash = openssl(['passwd', '-apr1', 'one']).toString().trim()
  const passwords = file('passwords', ['teacher', 'mia'].map((name) => `${name}:${hash}\n`).join(''))
  const build = execFileSync('/usr/sbin/squid', ['-v'], { timeout: 10_000 }).toString()
  const helpers = /'--libexecdir=([^']*)'/.exec(build)?.[1]
  const lines = [`program ${helpers}/basic_ncsa_auth ${passwords}`, 'realm Northwind', 'children 1']
  const gateway = await startGateway(
    { after },
    {
      sites: { names: ['games.example', 'video.example'] },
      policy: `
[rooms]
12 = ["127.0.12.0/24"]
13 = ["127.0.13.0/24"]
[[rules]]
name = "exam"
match = ["video.example"]
rooms = ["12"]
action = "block"
[[rules]]
name = "students"
match = ["games.example"]
users = ["mia", "günther"]
action = "block"
[presence]
token_file = "${file('presence-token', TOKEN)}"
`,
      settings: {
        PROXY_CLIENTS: '127.0.0.0/8',
        PROXY_AUTH: file('auth.conf', lines.map((line) => `auth_param basic ${line}\n`).join('')),
        PROXY_AUTH_EXCEPT: PHONES,
      },
      engineVariables: { PROXY_AUTH_EXCEPT: PHONES },
    },
  )
  const { request, sites, engine } = gateway
  const freeradius = await startFreeradius(
    { after },
    { engine: engine.url, token: TOKEN, ca: gateway.rootCa(), users: { mia: 'one', günther: 'one' } },
  )
  const classOf = (user: string) => `0x${Buffer.from(`gateway=${user}`).toString('hex')}`
  const account = (status: string, user: string, address: string) =>
    freeradius.account({
      'Acct-Status-Type': status,
      'Framed-IP-Address': address,
      Class: classOf(user),
      'User-Name': '"teacher"',
    })
  /** Requests that were stopped. */
  let seen = 0
  const games = async (sent: RequestOptions) => {
    const [plain, decrypted] = [
      await request('http://games.example/', sent),
      await request('https://games.example/', sent),
    ]
    assert.equal(plain.status, decrypted.status)
    if (plain.status === 200) return { status: 200 }
    // The log is written after the response.
    seen += 2
    await until(() => engine.decisions().length === seen)
    return { status: plain.status, user: engine.decisions().findLast(({ client }) => client === sent.from)?.user }
  }

  test('two rooms: a rule about one of them does not stop the other', async () => {
    seen += 2
    for (const scheme of ['http', 'https']) {
      const status = async (from: string) =>
        (await request(`${scheme}://video.example/`, { from, user: 'teacher:one' })).status
      assert.deepEqual([await status('127.0.12.5'), await status('127.0.13.5')], [302, 200], scheme)
    }
  })

  test('a phone needs no password, also with one; others do', async () => {
    assert.equal((await request('http://games.example/', { from: '127.0.12.5' })).status, 407)
    assert.equal((await request('http://games.example/', { from: '127.0.51.7' })).status, 407)
    assert.equal((await games({ from: OTHER_PHONE })).status, 200)
    // Squid does not read it, whether it is right or wrong: it names nobody.
    for (const user of ['mia:one', 'mia:wrong'])
      assert.equal((await games({ from: OTHER_PHONE, user })).status, 200, user)
    assert.equal(
      engine.decisions().findLast(({ client }) => client === OTHER_PHONE),
      undefined,
    )
    assert.ok(sites.received.every(({ headers }) => !('proxy-authorization' in headers)))
  })

  test('accounting names the user of a phone, until it stops; the next report ends the one before', async () => {
    await account('Start', 'mia', PHONE)
    assert.deepEqual(await games({ from: PHONE }), { status: 302, user: 'mia' })
    // Neither a password nor a header changes that.
    assert.deepEqual(await games({ from: PHONE, user: 'teacher:one' }), { status: 302, user: 'mia' })
    const headers = { 'X-Client-IP': OTHER_PHONE, 'X-Forwarded-For': OTHER_PHONE, 'X-Client-Username': 'teacher' }
    assert.deepEqual(await games({ from: PHONE, headers }), { status: 302, user: 'mia' })
    const spoofed = { 'X-Client-IP': PHONE, 'X-Forwarded-For': PHONE, Forwarded: `for=${PHONE}` }
    assert.equal((await games({ from: OTHER_PHONE, headers: spoofed })).status, 200)

    await account('Start', 'tim', PHONE)
    await account('Stop', 'mia', PHONE)
    assert.equal((await games({ from: PHONE })).status, 200)
    await account('Interim-Update', 'günther', PHONE)
    assert.deepEqual(await games({ from: PHONE }), { status: 302, user: 'günther' })
    await account('Stop', 'günther', PHONE)
    assert.equal((await games({ from: PHONE })).status, 200)
    const reports = () => engine.log().filter(({ event }) => `${event}`.startsWith('presence.'))
    await until(() => reports().length > 3)
    assert.deepEqual(
      reports().map(({ event, user }) => `${event} ${user}`),
      ['mia', 'tim', 'günther'].map((user) => `presence.reported ${user}`).concat('presence.ended günther'),
    )
  })

  test('a device cannot choose a name: the outer identity of EAP does not count', async () => {
    const { class: value, output } = await freeradius.signIn({ name: 'mia', password: 'one' }, 'teacher')
    assert.equal(Buffer.from(value, 'hex').toString(), 'gateway=mia')
    assert.match(output, /Attribute 85 \(Acct-Interim-Interval\)/)
    const accounting = { 'Acct-Status-Type': 'Start', 'User-Name': '"teacher"' }
    await freeradius.account({ ...accounting, 'Framed-IP-Address': OTHER_PHONE })
    assert.equal((await games({ from: OTHER_PHONE })).status, 200, 'without Class nobody is reported')
    await freeradius.account({ ...accounting, 'Framed-IP-Address': OTHER_PHONE, Class: `0x${value}` })
    assert.deepEqual(await games({ from: OTHER_PHONE }), { status: 302, user: 'mia' })
    // An attempt at another address, or at another member of the report.
    for (const name of [`x&client=${PHONE}`, 'x","client":"127.0.50.7', "x'; drop table"]) {
      await account('Start', name, OTHER_PHONE)
      assert.equal((await games({ from: PHONE })).status, 200, name)
      assert.equal((await games({ from: OTHER_PHONE })).status, 200, name)
    }
  })

  test('an address elsewhere names nobody, and accounting goes on: also without an engine', async () => {
    await account('Start', 'mia', '127.0.13.5')
    assert.equal((await request('http://games.example/', { from: '127.0.13.5', user: 'teacher:one' })).status, 200)
    await account('Start', 'mia', PHONE)
    await engine.kill('SIGKILL')
    await account('Interim-Update', 'mia', PHONE)
    await engine.restart()
    assert.deepEqual(await games({ from: PHONE }), { status: 302, user: 'mia' }, 'a restart keeps it')
  })
})
