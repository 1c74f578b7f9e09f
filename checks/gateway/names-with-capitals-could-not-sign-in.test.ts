// Seen: with the documented example and `htpasswd /etc/gateway/passwords Alice`, Alice got 407 forever: Squid passes names to the
// program in lower case, and the file has only "Alice". Nothing said so. Since there are users. Names in lower case can be typed in
// any case.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { openssl } from '../../test/support/certificates.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

test('names with capitals: the start names the line; so does a change of the file', {
  skip: skipWithoutGateway,
  timeout: 60_000,
}, async (t) => {
  const folder = temporaryFolder(t)
  const hash = openssl(['passwd', '-apr1', 'one']).toString().trim()
  const [passwords, auth] = [join(folder, 'passwords'), join(folder, 'auth.conf')]
  writeFileSync(passwords, `# Of the staff\nben:${hash}\nAlice:${hash}\nCarol:${hash}\n`)
  const helpers = /'--libexecdir=([^']*)'/.exec(execFileSync('/usr/sbin/squid', ['-v']).toString())?.[1]
  const lines = [`program ${helpers}/basic_ncsa_auth ${passwords}`, 'realm Northwind', 'children 1']
  writeFileSync(auth, lines.map((line) => `auth_param basic ${line}\n`).join(''))
  const { request, log } = await startGateway(t, {
    sites: { names: ['news.example'] },
    settings: { PROXY_AUTH: auth },
  })
  const status = async (name: string) => (await request('http://news.example/', { user: `${name}:one` })).status
  assert.match(log(), /^proxy: \S+\/passwords, line 3: nobody can sign in as 'Alice': .* Write 'alice', or /m)
  assert.equal(await status('Alice'), 407)
  for (const name of ['ben', 'Ben', 'BEN']) assert.equal(await status(name), 200, `control: ${name}`)
  writeFileSync(passwords, `alice:${hash}\nben:${hash}\n`)
  appendFileSync(passwords, `Dora:${hash}\n`)
  await until(() => /line 3: nobody can sign in as 'Dora'/.test(log()))
  await until(async () => (await status('Alice')) === 200)
})
