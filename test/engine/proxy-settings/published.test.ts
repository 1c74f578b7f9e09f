import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { publishedSettings } from '../../../src/engine/proxy-settings/published.ts'
import { createRuledHosts } from '../../../src/engine/proxy-settings/ruled-hosts.ts'
import { publishedFiles } from '../../../src/published/write.ts'
import { hasCommand, skipUnless } from '../../support/requirement.ts'
import { rule } from '../../support/rules.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { configure, policy } from '../running-engine.ts'

const read = (toml: string) => {
  const { policy: current, portal, audit } = configure(toml)
  return publishedFiles(publishedSettings(current, portal.names, createRuledHosts({ current }, audit)))
}
const filesOf = (toml: string) => read(policy(toml))

const TOML = `[inspection]
exempt_defaults = false
exempt = ["WWW.Bank.example.", "bücher.example", "192.0.2.7", "2001:DB8:0::7",
  "clinic.example", "a.clinic.example", ".Clinic.example", ".b.clinic.example", "xclinic.example", "xclinic.example"]
exempt_clients = ["10.20.30.40/16", "10.20.1.1", "10.20.0.0/16", "192.0.2.1/32", "::ffff:198.51.100.7", "2001:db8:1::1/48",
  "2001:db8::/32", "2001:db9::1", "128.0.0.0/1"]
safesearch = true
youtube = "strict"
tenants = [
  { hosts = ["login.cloud.example", ".sso.example", "a.sso.example"], header = "X-Tenants", value = "a.example, b.example" },
  { hosts = [".sso.example"], header = "X-Context", value = "7c-9" },
]
[gateway]
internal = ["10.0.0.0/8", "fd00::/8"]`

test('one entry a line, canonical, sorted, and none that another one covers', () => {
  assert.deepEqual(filesOf(TOML), {
    'portal-names': 'portal.example\n',
    'exempt-hosts':
      '.clinic.example\n192.0.2.7\n[2001:db8::7]\nwww.bank.example\nxclinic.example\nxn--bcher-kva.example\n',
    'exempt-clients': '10.20.0.0/16\n128.0.0.0/1\n2001:db8::/32\n2001:db9::1\n',
    internal: '10.0.0.0/8\nfd00::/8\n',
    safesearch: 'on\n',
    youtube: 'strict\n',
    tenants:
      '.sso.example X-Tenants a.example, b.example\nlogin.cloud.example X-Tenants a.example, b.example\n.sso.example X-Context 7c-9\n',
    'ruled-hosts': 'some\n',
  })
})

test('the hosts that we ship are added once, and every file exists without any setting', () => {
  const { 'exempt-hosts': hosts = '', ...others } = filesOf(
    '[inspection]\nexempt = [".push.apple.com", "a.push.apple.com"]',
  )
  assert.equal(hosts.split('\n').filter((line) => line.endsWith('push.apple.com')).length, 1)
  assert.ok(hosts.split('\n').length > 50)
  const none = { 'exempt-clients': '', internal: '', safesearch: '', youtube: '', tenants: '' }
  assert.deepEqual(others, { ...none, 'portal-names': 'portal.example\n', 'ruled-hosts': 'some\n' })
  assert.equal(filesOf('[inspection]\nexempt_defaults = false')['exempt-hosts'], '')
})

test('whether every host is ruled', () => {
  const ruledHosts = (toml: string) => filesOf(toml)['ruled-hosts']
  assert.equal(ruledHosts(rule('r', 'block', 'match = ["casino.example"]', 'users = ["anna"]')), 'some\n')
  assert.equal(ruledHosts(rule('r', 'block', 'users = ["anna"]')), 'every\n')
  assert.equal(ruledHosts('[audit]\nallowed = true'), 'every\n')
  assert.equal(read(policy('', 'default = "block"'))['ruled-hosts'], 'every\n')
})

test('the portal’s names are canonical', () => {
  const hostnames = '["B.portal.example", "::FFFF:192.0.2.7", "2001:DB8:0::7", "localhost", "portal.example"]'
  const toml = policy('').replace(/base_url = .*/, `hostnames = ${hostnames}\n$&`)
  assert.equal(read(toml)['portal-names'], '192.0.2.7\n[2001:db8::7]\nb.portal.example\nlocalhost\nportal.example\n')
})

test('Squid reads the lists without a warning', {
  skip: skipUnless(hasCommand('squid'), 'needs Squid: apt-get install squid-openssl'),
}, (t) => {
  const folder = temporaryFolder(t)
  const parse = (hosts: string, clients: string) => {
    writeFileSync(join(folder, 'hosts'), hosts)
    writeFileSync(join(folder, 'clients'), clients)
    const lists = `acl h dstdomain "${folder}/hosts"\nacl c src "${folder}/clients"\nhttp_access deny h c\n`
    writeFileSync(join(folder, 'squid.conf'), `${lists}http_port 3128\npid_filename none\ncache_log ${folder}/log\n`)
    const command = `squid -k parse -n settings${process.pid} -f ${folder}/squid.conf 2>&1 || echo ERROR: $?`
    const told = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8', timeout: 20_000 })
    return told.split('\n').filter((line) => /WARNING|ERROR|FATAL|NOTICE/i.test(line))
  }
  const withDefaults = filesOf(TOML.replace('exempt_defaults = false', ''))
  assert.deepEqual(parse(withDefaults['exempt-hosts'] ?? '', withDefaults['exempt-clients'] ?? ''), [])
  // What the shortening is for.
  assert.match(parse('a.example\n.a.example\n', '').join(), /FATAL/)
  assert.match(parse('', '10.0.0.0/8\n10.1.0.0/16\n').join(), /subnetwork/)
})
