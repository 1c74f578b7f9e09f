// Seen: with the documented example and `htpasswd /etc/gateway/passwords Alice`, Alice got 407 forever: Squid passes names to the
// program in lower case, and the file has only "Alice". Nothing said so. Since there are users. Names in lower case can be typed in
// any case.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../proxy/proxy.ts'
import { openssl } from '../support/certificates.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'
import { until } from '../support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

describe('names with capitals', { skip: skipWithoutGateway, timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-names-'))
  chmodSync(folder, 0o755)
  after(() => rmSync(folder, { recursive: true }))
  const hash = openssl(['passwd', '-apr1', 'one']).toString().trim()
  const passwords = join(folder, 'passwords')
  writeFileSync(passwords, `# Of the staff\nben:${hash}\nAlice:${hash}\nCarol:${hash}\n`)
  const helpers = /'--libexecdir=([^']*)'/.exec(execFileSync('/usr/sbin/squid', ['-v']).toString())?.[1]
  /** @param more lines of the file of PROXY_AUTH */
  const settings = (name: string, more = '') => {
    const path = join(folder, name)
    const lines = [`program ${helpers}/basic_ncsa_auth ${passwords}`, 'realm Northwind', 'children 1']
    writeFileSync(path, `${lines.map((line) => `auth_param basic ${line}\n`).join('')}${more}`)
    return { PROXY_AUTH: path }
  }
  const start = (cleanup: Parameters<typeof startGateway>[0], auth: Record<string, string>) =>
    startGateway(cleanup, { sites: { names: ['news.example'] }, settings: auth })

  test('the start names the line; so does a change of the file', async (t) => {
    const { request, log } = await start(t, settings('auth.conf'))
    const status = async (name: string) => (await request('http://news.example/', { user: `${name}:one` })).status
    assert.match(log(), /^proxy: \S+\/passwords, line 3: nobody can sign in as 'Alice': .* Write 'alice', or /m)
    assert.equal(await status('Alice'), 407)
    for (const name of ['ben', 'Ben', 'BEN']) assert.equal(await status(name), 200, `control: ${name}`)
    writeFileSync(passwords, `alice:${hash}\nben:${hash}\n`)
    appendFileSync(passwords, `Dora:${hash}\n`)
    await until(() => /line 3: nobody can sign in as 'Dora'/.test(log()))
    await until(async () => (await status('Alice')) === 200)
  })

  test('control: with casesensitive on, a name is typed as the file has it, and nothing is said', async (t) => {
    writeFileSync(passwords, `Alice:${hash}\n`)
    const { request, log } = await start(t, settings('exact.conf', 'auth_param basic casesensitive on\n'))
    assert.equal((await request('http://news.example/', { user: 'Alice:one' })).status, 200)
    assert.doesNotMatch(log(), /sign in as/)
  })
})
