// The operator's own files for Squid must not open what squid.conf closes.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openingDirective } from '../../src/proxy/settings/opening-directives.ts'
import { directivesFault } from '../../src/proxy/settings/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const TEMPLATE = readFileSync(new URL('../../deploy/proxy/squid.conf', import.meta.url), 'utf8')

test('a directive that could open something', () => {
  for (const [content, named] of [
    ['icap_enable off', 'icap_enable'],
    ['icap_service verdict reqmod_precache icap://127.0.0.1:1/ bypass=on', 'icap_service'],
    ['icap_service_failure_limit 1', 'icap_service_failure_limit'],
    ['ecap_enable on', 'ecap_enable'],
    ['loadable_modules /tmp/a.so', 'loadable_modules'],
    ['adaptation_access verdict deny all', 'adaptation_access'],
    ['adaptation_service_set set verdict', 'adaptation_service_set'],
    ['adaptation_send_client_ip off', 'adaptation_send_client_ip'],
    ['http_access allow all', 'http_access'],
    ['http_access2 allow all', 'http_access2'],
    ['adapted_http_access allow all', 'adapted_http_access'],
    ['ssl_bump splice all', 'ssl_bump'],
    ['on_unsupported_protocol tunnel all', 'on_unsupported_protocol'],
    ['http_port 3129', 'http_port'],
    ['https_port 3130 intercept ssl-bump', 'https_port'],
    ['ascii_port 3129', 'ascii_port'],
    ['ftp_port 2121', 'ftp_port'],
    ['sslproxy_cert_error allow all', 'sslproxy_cert_error'],
    ['sslproxy_flags DONT_VERIFY_PEER', 'sslproxy_flags'],
    ['tls_outgoing_options flags=DONT_VERIFY_PEER', 'tls_outgoing_options'],
    ['sslcrtvalidator_program /bin/true', 'sslcrtvalidator_program'],
    ['sslcrtd_program /bin/true', 'sslcrtd_program'],
    ['url_rewrite_program /bin/true', 'url_rewrite_program'],
    ['redirect_program /bin/true', 'redirect_program'],
    ['follow_x_forwarded_for allow all', 'follow_x_forwarded_for'],
    ['acl clients src 0.0.0.0/0', 'acl clients'],
    ['acl exempt_hosts dstdomain .example', 'acl exempt_hosts'],
    ['include /tmp/more.conf', 'include'],
    ['acl Exempt_Hosts dstdomain .example', 'acl Exempt_Hosts'],
    ['configuration_includes_quoted_values on', 'configuration_includes_quoted_values'],
    ['acl undo annotate_client decrypted=no', 'decrypted=no'],
    ['note ruled_ no all', 'ruled_'],
    ['acl open annotate_transaction ruled_=no', 'ruled_=no'],
    ['acl open annotate_client "ruled_+=no"', '"ruled_+=no"'],
    ['external_acl_type ruled_hosts %DST /bin/true', 'ruled_hosts'],
    // As Squid reads lines.
    ['# a comment\n\n  \ticap_enable\toff', 'icap_enable'],
    ['dns_nameservers 127.0.0.1\r\nicap_enable off\r\n', 'icap_enable'],
    ['icap_\\\n# a comment\n  enable off', 'icap_enable'],
    ['icap_\\\r\nenable off', 'icap_enable'],
    ['if true\nicap_enable off\nendif', 'icap_enable'],
  ] as const) {
    assert.equal(openingDirective(`${content}\n`, TEMPLATE), named, content)
    assert.equal(openingDirective(content, TEMPLATE), named, content)
  }
})

test('other directives', () => {
  const content = `# http_access allow all
dns_nameservers 127.0.0.1 \\
  icap_enable
cache_peer upstream.example parent 3128 0 no-query default
cache_peer_access upstream.example allow all
always_direct allow portal
acl my_clients src 192.0.2.0/24
sslcrtd_children 16
`
  assert.equal(openingDirective(content, TEMPLATE), undefined)
})

test('the file is read again after each change', (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'include.conf')
  assert.equal(directivesFault(path, TEMPLATE), 'must name a file that can be read (the system reports ENOENT)')
  writeFileSync(path, 'dns_nameservers 127.0.0.1\n')
  assert.equal(directivesFault(path, TEMPLATE), undefined)
  writeFileSync(path, 'http_port 3129\n')
  assert.equal(directivesFault(path, TEMPLATE), "must not contain 'http_port': it could open what squid.conf closes")
})
