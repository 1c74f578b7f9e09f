// What is read from Squid's configuration, in every form in which Squid accepts it.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  bypassFaults,
  readConfiguration,
  verificationFaults,
} from '../../../src/gatewayctl/proxy/squid-configuration.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SHIPPED = readFileSync(new URL('../../../deploy/proxy/squid.conf', import.meta.url), 'utf8')

function reader(t: Parameters<typeof temporaryFolder>[0]) {
  const folder = temporaryFolder(t)
  const path = (name: string) => join(folder, name)
  return {
    path,
    read(text: string) {
      writeFileSync(path('squid.conf'), text)
      const directives = readConfiguration(path('squid.conf'))
      assert.ok(!('reason' in directives))
      return { bypass: bypassFaults(directives), verification: verificationFaults(directives) }
    },
  }
}

test('the shipped configuration has no fault', (t) => {
  assert.deepEqual(reader(t).read(SHIPPED), { bypass: [], verification: [] })
})

test('a service that may be bypassed', (t) => {
  const { read } = reader(t)
  const service = (rest: string) => read(`icap_enable on\nicap_service a reqmod_precache ${rest}\n`).bypass
  for (const off of ['icap://h/r bypass=off', 'bypass=0 icap://h/r', 'icap://h/r', '0 icap://h/r']) {
    assert.deepEqual(service(off), [], off)
  }
  const on = ['icap://h/r bypass=on', 'bypass=1 icap://h/r', '1 icap://h/r', '\\\n  bypass=on icap://h/r']
  for (const one of [...on, 'icap://h/r bypass=on # bypass=off']) {
    assert.deepEqual(service(one), ['icap_service a has bypass=on instead of bypass=off'], one)
  }
  assert.deepEqual(read('# icap_enable on\nicap_service a respmod_precache icap://h/r\n').bypass, [
    'icap_enable is not on',
    'no icap_service with reqmod_precache',
  ])
})

test('certificates that are accepted in spite of an error, in an included file, too', (t) => {
  const { path, read } = reader(t)
  writeFileSync(path('a.conf'), 'sslproxy_cert_error allow legacy\n')
  writeFileSync(path('b.conf'), 'tls_outgoing_options cafile=x flags=DONT_VERIFY_PEER,NO_DEFAULT_CA\n')
  const verification = (text: string) => read(text).verification
  assert.deepEqual(verification(`include ${path('[ab].conf')}\n`), [
    'sslproxy_cert_error allow legacy',
    'tls_outgoing_options cafile=x flags=DONT_VERIFY_PEER,NO_DEFAULT_CA',
  ])
  // The first line that matches decides.
  assert.deepEqual(verification(`sslproxy_cert_error deny all\ninclude "${path('a.conf')}"\n`), [])
  assert.deepEqual(verification('sslproxy_cert_error deny bad\nsslproxy_cert_error allow all\n'), [
    'sslproxy_cert_error allow all',
  ])
})

test('a file that is missing or includes itself', (t) => {
  const { path } = reader(t)
  assert.deepEqual(readConfiguration(path('none')), { reason: `there is no file ${path('none')}` })
  writeFileSync(path('loop'), `include ${path('loop')}\n`)
  assert.deepEqual(readConfiguration(path('loop')), { reason: `${path('loop')} is included too deeply` })
})
