// Sign-in by Kerberos with a real domain controller, as docs/kerberos.md describes it, and the groups of docs/policy.md.
import assert from 'node:assert/strict'
import { appendFileSync, chownSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { pacFile } from '../../src/network/pac-file.ts'
import { blocksRunBy } from '../../test/deploy/command-blocks.ts'
import { ask } from '../../test/engine/icap/icap-client.ts'
import { get, reqmod } from '../../test/engine/icap/messages.ts'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { PORTAL_HOST, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { launchChromium, launchFirefox } from '../../test/support/browser.ts'
import { inReverse } from '../../test/support/cleanup.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { hasCommand, skipUnless, skipWithoutChromium, skipWithoutFirefox } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { skipWithoutSamba } from './domain-controller.ts'
import { ADDRESS, KEYTAB, OWN_FILES, password, run, startSchool } from './school.ts'

const skip =
  skipWithoutGateway ||
  skipWithoutSamba ||
  skipUnless(hasCommand('kinit') && hasCommand('msktutil'), 'needs apt-get install krb5-user msktutil') ||
  skipUnless(hasCommand('curl'), 'needs curl: apt-get install curl')

if (!skip) continueInNetworkNamespace(import.meta.filename, OWN_FILES)

const PROXY_USER = 54_323
const RENEWED = /^proxy: reconfigured: the keytab has changed$/

/** With a PAC file. */
const BROWSERS: readonly {
  readonly name: string
  readonly skip: string | false
  readonly open: (pac: string, home: string) => Promise<Browser>
}[] = [
  { name: 'Chromium', skip: skipWithoutChromium, open: (pac) => launchChromium([`--proxy-pac-url=${pac}`]) },
  {
    name: 'Firefox',
    skip: skipWithoutFirefox,
    open: (pac, home) => launchFirefox(home, [], { 'network.proxy.type': 2, 'network.proxy.autoconfig_url': pac }),
  },
]

describe('a school with Active Directory', { skip, timeout: 240_000 }, async () => {
  const commandsOf = (page: string) => blocksRunBy(import.meta.filename, page).map(({ text }) => text)
  const school = await startSchool({ after }, PROXY_USER, commandsOf('docs/kerberos.md'))
  const { controller, guide, paste, signIn, environmentOf } = school
  controller.run(guide.dns)
  const printed = await paste(guide.keytab)
  await paste(guide.proxy)
  const [groups = '', ...others] = commandsOf('docs/policy.md')
  assert.deepEqual(others, [])
  await paste(groups)
  const settings = Object.fromEntries(
    readFileSync('/etc/gateway/proxy.env', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )
  const gateway = await startGateway(
    { after },
    {
      sites: { names: ['games.example', 'news.example'] },
      policy: school.policy,
      settings: { ...settings, PROXY_CLIENTS: `127.0.0.0/24 ${ADDRESS}` },
      listen: ADDRESS,
    },
  )
  const { engine, sites, log } = gateway
  const here = (command: string) => command.replaceAll(':3128', `:${gateway.port}`)
  const rootCa = join(dirname(engine.published), 'root-ca.pem')
  writeFileSync(rootCa, gateway.rootCa())

  /** The status of a request through the proxy by a user who has signed in; of the CONNECT first, for https. */
  async function statusFor(user: string, url: string): Promise<string> {
    const proxy = ['--proxy-negotiate', '--proxy-user', ':', '--proxy', `http://proxy.school.example:${gateway.port}`]
    const report = ['--silent', '--output', '/dev/null', '--write-out', '%{http_connect} %{http_code}']
    const words = [...proxy, ...report, '--cacert', rootCa, '--max-time', '20', url]
    const { output } = await run('curl', words, { env: environmentOf(user) })
    return output.replace('000 ', '')
  }
  /** Of the proxy's log. */
  const lines = (pattern: RegExp) =>
    log()
      .split('\n')
      .filter((line) => pattern.test(line))
  /** The user of the decision about the last request. */
  const lastUser = () => engine.decisions().at(-1)?.user

  test('the guide’s commands', async () => {
    assert.match(printed, /HTTP\/proxy\.school\.example@SCHOOL\.EXAMPLE \(aes256-cts-hmac-sha1-96\)/)
    signIn('mia')
    const trial = await paste(here(guide.trial), environmentOf('mia'))
    assert.match(trial, /^HTTP\/1\.1 302 Found\r\nLocation: https:\/\/portal\.example/m)
  })

  test('by group, over http and https, without a password', async () => {
    for (const user of ['noah', 'ada']) signIn(user)
    for (const scheme of ['http', 'https']) {
      const connected = scheme === 'https' ? '200 ' : ''
      assert.equal(await statusFor('noah', `${scheme}://games.example/`), `${connected}302`)
      assert.equal(await statusFor('ada', `${scheme}://games.example/`), `${connected}200`)
      assert.equal(await statusFor('noah', `${scheme}://news.example/`), `${connected}200`)
    }
    assert.ok(sites.received.every(({ headers }) => !('proxy-authorization' in headers)))
  })

  test('without a ticket nothing reaches a site', async () => {
    const before = sites.received.length
    for (const url of ['http://news.example/', 'https://news.example/']) {
      assert.match(await statusFor('nobody', url), /^407( 000)?$/)
    }
    assert.equal(sites.received.length, before)
  })

  test('mia, MIA@SCHOOL.EXAMPLE and SCHOOL\\mia are one user, and so is a name with accents', async () => {
    for (const name of ['mia', 'MIA', 'Mia@SCHOOL.EXAMPLE']) {
      signIn('mia', name)
      assert.equal(await statusFor('mia', 'http://games.example/'), '302', name)
      await until(() => lastUser() === 'mia')
    }
    signIn('zoé.müller')
    assert.equal(await statusFor('zoé.müller', 'http://games.example/'), '302')
    await until(() => lastUser() === 'zoé.müller')
    const token = readFileSync(join(dirname(engine.published), 'icap-token'), 'utf8').trim()
    const of = async (...fields: readonly string[]) => {
      const identity = [`X-Engine-Token: ${token}`, 'X-Client-IP: 198.51.100.7', 'Allow: 204', ...fields]
      const [response] = await ask(engine.icapPort, reqmod({ http: get('http://games.example/'), identity }))
      return response?.status
    }
    const proxyOf = (uri: string) => `X-Authenticated-User: ${Buffer.from(uri).toString('base64')}`
    for (const name of ['SCHOOL\\mia', 'mia', 'mia@school.example', 'mia@SCHOOL.EXAMPLE']) {
      assert.equal(await of(`X-Client-Username: ${name}`), 200, name)
      await until(() => lastUser() === 'mia')
    }
    assert.equal(await of(proxyOf('WinNT://SCHOOL\\mia')), 200)
    assert.equal(await of('X-Client-Username: OTHER\\mia'), 204, 'control: another domain')
  })

  test('a ticket with the list of 400 groups', async () => {
    signIn('max')
    assert.equal(await statusFor('max', 'http://games.example/'), '302')
    assert.equal(await statusFor('max', 'https://games.example/'), '200 302')
  })

  test('a class moves to another group: the rules see it after an update', async () => {
    assert.deepEqual(school.readGroup('students.txt'), ['eve', 'finn', 'max', 'mia', 'noah', 'zoé.müller'])
    assert.deepEqual(school.readGroup('staff.txt'), ['ada', 'lea', 'tim'])
    controller.edit(`
samdb.add_remove_group_members('Students', ['Class 7b'], add_members_operation=False)
samdb.add_remove_group_members('Teachers', ['Class 7b'], add_members_operation=True)`)
    assert.equal(await statusFor('mia', 'http://games.example/'), '302', 'before the update')
    const { status, output } = await school.updateGroups()
    assert.equal(status, 0, output)
    assert.equal(output, 'staff.txt: updated; users: 5\nstudents.txt: updated; users: 4\n')
    assert.deepEqual(school.readGroup('staff.txt'), ['ada', 'lea', 'mia', 'tim', 'zoé.müller'])
    await until(async () => (await statusFor('mia', 'http://games.example/')) === '200', 20, 200)
    assert.equal(await statusFor('noah', 'http://games.example/'), '302')
  })

  test('without the controller, groups stay as they were, and tickets are valid', async () => {
    // Another server of the domain's DNS is still there.
    appendFileSync('/etc/hosts', `${ADDRESS} proxy.school.example\n127.0.0.1 ${PORTAL_HOST}\n`)
    await controller.stop()
    const { status, output } = await school.updateGroups()
    assert.equal(status, 1)
    assert.match(
      output,
      /^no server of the directory can be used; all files stay as they are: dc1\.school\.example:636: /,
    )
    assert.deepEqual(school.readGroup('students.txt'), ['eve', 'finn', 'max', 'noah'])
    assert.equal(await statusFor('noah', 'http://games.example/'), '302')
    assert.equal(await statusFor('mia', 'http://games.example/'), '200')
    await controller.start()
    assert.equal(
      (await school.updateGroups()).output,
      'staff.txt: unchanged; users: 5\nstudents.txt: unchanged; users: 4\n',
    )
  })

  for (const { name, skip, open } of BROWSERS) {
    test(`${name}, with the PAC file and no other setting`, { skip }, async (test) => {
      const t = inReverse(test)
      const pac = pacFile({ host: 'proxy.school.example', port: gateway.port }, [PORTAL_HOST])
      const url = `data:application/x-ns-proxy-autoconfig;base64,${Buffer.from(pac).toString('base64')}`
      for (const [user, expected] of [
        ['noah', /^the portal: \/blocked\?p=/],
        ['ada', /^GET \/ 0/],
      ] as const) {
        process.env.KRB5CCNAME = environmentOf(user).KRB5CCNAME
        const browser = await open(url, temporaryFolder(t))
        t.after(() => browser.close())
        const page = await browser.newPage({ ignoreHTTPSErrors: true })
        for (const scheme of ['http', 'https']) {
          // Right after its start, Chromium may not use the ticket yet: it shows the page that asks to try again.
          await until(async () => {
            await page.goto(`${scheme}://games.example/`)
            return expected.test((await page.textContent('body')) ?? '')
          })
        }
      }
    })
  }

  test('tokens that are none, and NTLM: refused, with one line for each reason', async () => {
    const ntlm = Buffer.from(`NTLMSSP\0\u0001${'\0'.repeat(31)}`).toString('base64')
    const tokens = [ntlm, ntlm, 'AAAA', 'x', '', Buffer.alloc(30_000, 'a').toString('base64')]
    for (const token of tokens) {
      const headers = { 'proxy-authorization': `Negotiate ${token}` }
      assert.equal((await gateway.request('http://news.example/', { headers })).status, 407)
    }
    await until(
      () => lines(/^proxy: sign-in by Kerberos refused: a device without a ticket, .* tries NTLM/).length === 1,
    )
    assert.equal(lines(/^proxy: sign-in by Kerberos refused: /).length, 2, log())
  })

  test('gatewayctl, which has no ticket, says what it needs', async () => {
    const proxy = ['--proxy', `127.0.0.1:${gateway.port}`]
    const doctor = await gatewayctl(['proxy', 'doctor', ...proxy])
    assert.equal(doctor.status, 1)
    assert.match(doctor.stdout, /the proxy accepts no password: add Basic to the file of PROXY_AUTH/)
    const status = await gatewayctl(['proxy', 'status', ...proxy])
    assert.match(status.stdout, /^proxy +ok .* responds, and requires a user$/m)
  })

  test('a new key: the proxy uses it, and old tickets stay valid; an old key is one line', async () => {
    const old = readFileSync(KEYTAB)
    await paste(guide.keytab)
    await until(() => lines(RENEWED).length === 1)
    await until(async () => (await statusFor('noah', 'http://games.example/')) === '302')
    signIn('eve')
    assert.equal(await statusFor('eve', 'http://games.example/'), '302')
    const current = readFileSync(KEYTAB)
    writeFileSync(KEYTAB, old)
    await until(() => lines(RENEWED).length === 2)
    for (let count = 0; count < 3; count++)
      await until(async () => (await statusFor('eve', 'http://games.example/')) === '407')
    await until(() => lines(/refused: the keytab does not have the key of this ticket: /).length === 1)
    writeFileSync(KEYTAB, current)
    await until(() => lines(RENEWED).length === 3)
    await until(async () => (await statusFor('eve', 'http://games.example/')) === '302')
  })

  test('a keytab that vanishes while the proxy runs: one line, and Squid is not restarted into a failure', async () => {
    renameSync(KEYTAB, `${KEYTAB}.away`)
    await until(
      () => lines(/^proxy: nobody can sign in by Kerberos: .* names a keytab that does not exist: /).length === 1,
    )
    gateway.publish('internal', '10.0.0.0/8\n')
    await until(
      () => lines(/must not name a keytab that does not exist: .*; the proxy keeps its configuration$/).length === 1,
    )
    const { body } = await gateway.request(`https://${PORTAL_HOST}:${gateway.portal.https}/blocked`)
    assert.equal(body, 'the portal: /blocked')
    renameSync(`${KEYTAB}.away`, KEYTAB)
    await until(() => lines(/^proxy: reconfigured: what the engine publishes/).length === 1)
    await until(async () => (await statusFor('eve', 'http://games.example/')) === '302')
  })

  test('devices outside the domain: with a password of the domain, next to tickets', async (t) => {
    await paste(guide.passwords)
    const own = await startGateway(t, {
      sites: { names: ['games.example', 'news.example'] },
      policy: school.policy,
      settings: { ...settings, PROXY_CLIENTS: `127.0.0.0/24 ${ADDRESS}` },
      listen: ADDRESS,
    })
    const statusOf = async (name: string, secret: string) => {
      const authorization = `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
      const { status } = await own.request('http://games.example/', {
        headers: { 'proxy-authorization': authorization },
      })
      return status
    }
    assert.equal(await statusOf('noah', password('noah')), 302, own.log())
    await until(() => own.engine.decisions().at(-1)?.user === 'noah')
    assert.equal(await statusOf('ada', password('ada')), 200)
    for (const [name, secret] of [
      ['noah', 'wrong'],
      ['noah', ''],
      ['nobody', password('noah')],
      ['*', password('noah')],
      ['noah)(cn=*', password('noah')],
    ] as const) {
      assert.equal(await statusOf(name, secret), 407, name)
    }
    signIn('eve')
    const ticket = ['--proxy-negotiate', '--proxy-user', ':', '--proxy', `http://proxy.school.example:${own.port}`]
    const words = [...ticket, '--silent', '--head', '--max-time', '20', 'http://games.example/']
    assert.match((await run('curl', words, { env: environmentOf('eve') })).output, /^HTTP\/1\.1 302 /)
  })

  test('a start with a keytab that is missing, unreadable, broken or for another name: one clear problem', async () => {
    const keytab = readFileSync(KEYTAB)
    const folder = dirname(engine.published)
    const env = {
      PATH: process.env.PATH,
      PROXY_CLIENTS: ADDRESS,
      PROXY_PORTAL: 'https://portal.example',
      PROXY_ICAP_TOKEN_FILE: join(folder, 'icap-token'),
      PROXY_AUTH: settings.PROXY_AUTH,
      PROXY_RUN: join(folder, 'another-run'),
    }
    const asProxy = ['--reuid', `${PROXY_USER}`, '--regid', `${PROXY_USER}`, '--clear-groups', process.execPath]
    const problemOf = async (...options: readonly string[]) =>
      await run('setpriv', [...asProxy, 'src/proxy/main.ts', ...options], { env })
    const says = async (fault: string) => {
      const output = `The configuration has 1 problem:\n  PROXY_AUTH must not name a keytab ${fault}; it is now "/etc/gateway/auth.conf"\n`
      for (const options of [['--check'], []]) assert.deepEqual(await problemOf(...options), { status: 2, output })
    }
    rmSync(KEYTAB)
    await says(`that does not exist: ${KEYTAB}`)
    writeFileSync(KEYTAB, keytab, { mode: 0o600 })
    await says(`that the proxy's user may not read: ${KEYTAB}`)
    chownSync(KEYTAB, PROXY_USER, PROXY_USER)
    writeFileSync(KEYTAB, keytab.subarray(0, -1))
    await says(`that is none, or is not whole: ${KEYTAB}`)
    rmSync(KEYTAB)
    await paste(
      guide.keytab
        .replaceAll('HTTP/proxy.', 'HTTP/other.')
        .replaceAll('account-name gateway-proxy', 'account-name other'),
    )
    const has = '"other@SCHOOL.EXAMPLE", "HTTP/other.school.example@SCHOOL.EXAMPLE"'
    await says(`without a key for "HTTP/proxy.school.example@SCHOOL.EXAMPLE": ${KEYTAB} has ${has}`)
  })
})
