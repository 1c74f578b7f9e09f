// Squid reads a line of more than 8191 bytes as several. What followed in a long comment of PROXY_INCLUDE or PROXY_AUTH was a directive
// to Squid, such as `icap_enable off`, but still the comment to the check for directives that open what squid.conf closes.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openingDirective } from '../../src/proxy/settings/opening-directives.ts'
import { skipWithoutSquid } from '../proxy/proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const commentOf = (bytes: number) => `# ${'a'.repeat(bytes - 2)}`

test('a directive at the end of a long comment', () => {
  for (const line of [
    `${commentOf(8191)}icap_enable off`,
    `${commentOf(2 * 8191)}icap_enable off`,
    // Bytes, not characters.
    `# ${'é'.repeat(4094)}xicap_enable off`,
  ]) {
    assert.equal(openingDirective(`${line}\n`, ''), 'icap_enable')
  }
  for (const line of [`${commentOf(8190)} icap_enable off`, `${commentOf(100)}icap_enable off`]) {
    assert.equal(openingDirective(`${line}\n`, ''), line.length > 8191 ? 'icap_enable' : undefined)
  }
})

test('control: Squid reads it as a directive', { skip: skipWithoutSquid }, (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'squid.conf')
  writeFileSync(path, `http_port 3128\npid_filename none\n${commentOf(8191)}icap_enable off\n`)
  const words = ['-k', 'parse', '-n', `comment${process.pid}`, '-f', path]
  assert.match(spawnSync('squid', words, { encoding: 'utf8', timeout: 20_000 }).stderr, /Processing: icap_enable off/)
})
