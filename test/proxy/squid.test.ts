// What the proxy makes for Squid and reads of it: pages for errors, the configuration on the disk, and its log.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createConfigurations } from '../../src/proxy/squid/configuration.ts'
import { errorPages, PAGE_NAMES } from '../../src/proxy/squid/error-pages.ts'
import { isIcapOutage, reportedLine } from '../../src/proxy/squid/squid-log.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('pages for errors', () => {
  const FOLDER = new URL('../../deploy/proxy/errors/', import.meta.url)
  const read = (name: string) => readFileSync(new URL(`${name}.html`, FOLDER), 'utf8')
  const FRAME = read('page')
  const LOOK = { operator: undefined, product: 'Gateway Captive Portal', palette: 'indigo' }

  test('every page is for an error, and every file is a page', () => {
    const files = readdirSync(FOLDER).map((name) => name.replace('.html', ''))
    assert.deepEqual([...PAGE_NAMES, 'page'].toSorted(), files.toSorted())
  })
  test('each error has its page; those that have none of their own have the same', () => {
    const squidsOwn = ['ERR_DNS_FAIL', 'ERR_FTP_FAILURE', 'ERR_SHUTTING_DOWN', 'error-details.txt']
    const pages = errorPages(FRAME, read, squidsOwn, LOOK)
    assert.equal(pages['error-details.txt'], undefined)
    assert.ok(pages.ERR_DNS_FAIL?.includes(read('not-found')))
    assert.ok(pages.ERR_ICAP_FAILURE?.includes(read('cannot-decide')))
    assert.ok(pages.ERR_FTP_FAILURE?.includes(read('gateway-problem')))
    assert.equal(pages.ERR_FTP_FAILURE, pages.ERR_SHUTTING_DOWN)
  })
  test('Squid fills in the details, and no page has a placeholder of ours', () => {
    const details = '<footer lang="en" translate="no">Code: %c &middot; <time>%T</time></footer>'
    for (const text of Object.values(errorPages(FRAME, () => 'of the page: $& %x\n', [], LOOK))) {
      assert.ok(text.includes('</svg>\nof the page: $& %x\n</article>') && text.includes(details))
      assert.doesNotMatch(text, /\$\{/)
    }
  })
  test('each has the palette, and the names of operator and product as text: to the browser, to Squid and here', () => {
    const name = `<b title="%H">Müller & Söhne $& ${'$'}{DETAILS}`
    const look = { operator: name, product: name, palette: 'amber' }
    const { ERR_DNS_FAIL: page = '' } = errorPages(FRAME, read, [], look)
    assert.match(page, /^<!doctype html>\n<html lang="en" class="amber">\n/)
    const [, ...names] = /<header><bdi>(.*)<\/bdi><small><bdi>(.*)<\/bdi><\/small><\/header>/.exec(page) ?? []
    assert.equal(names.length, 2)
    for (const shown of names) {
      assert.doesNotMatch(shown, /[<>"%$]/)
      const characters = shown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
      assert.equal(characters, name)
    }
  })
})

// The one before stays until the next change, because Squid may still be reading it.
describe('the configuration on the disk', () => {
  /** For a Squid that accepts each configuration but one that contains "bad". */
  function setUp(t: TestContext) {
    const folder = temporaryFolder(t)
    const script = '#!/bin/sh\nif grep -q bad "$4"; then echo "2026/11/26 08:00:00| FATAL: Bungled"; exit 1; fi\n'
    writeFileSync(join(folder, 'squid'), script, { mode: 0o755 })
    const run = join(folder, 'run')
    mkdirSync(join(run, 'configuration.7'), { recursive: true })
    const configurations = createConfigurations(run, {
      ...{ version: '6.13', certificateGenerator: '', errorTemplates: '' },
      env: { PATH: `${folder}:${process.env.PATH}` },
    })
    const prepare = (text: string) => configurations.prepare(() => ({ 'squid.conf': text, 'icap-authorities.pem': '' }))
    return { run, configurations, prepare, inForce: () => readFileSync(configurations.path, 'utf8') }
  }

  test('each in its own folder; that of a previous process is removed, the one before stays', async (t) => {
    const { run, configurations, prepare, inForce } = setUp(t)
    for (const text of ['first', 'second', 'third']) {
      assert.equal(await prepare(text), undefined)
      configurations.activate()
      assert.equal(inForce(), text)
    }
    assert.deepEqual(readdirSync(run).toSorted(), ['configuration.1', 'configuration.2', 'squid.conf'])
  })
  test('what Squid does not accept, or cannot be written, leaves the one in force', async (t) => {
    const { run, configurations, prepare, inForce } = setUp(t)
    await prepare('first')
    configurations.activate()
    assert.equal(await prepare('bad'), 'FATAL: Bungled')
    assert.equal(inForce(), 'first')
    const next = `${configurations.path}.new`
    rmSync(next)
    mkdirSync(join(next, 'in the way'), { recursive: true })
    assert.match(`${await prepare('second')}`, /configuration\.1 cannot be written: the system reports E/)
    rmSync(next, { recursive: true })
    assert.equal(inForce(), 'first')
    rmSync(run, { recursive: true })
    assert.match(`${await prepare('third')}`, /cannot be written: the system reports ENOENT/)
  })
})

describe('Squid’s log', () => {
  const DOWN =
    '2026/11/26 07:31:02| essential ICAP service is down after an options fetch failure: icap://127.0.0.1:1344/reqmod [down,!opt]'

  test('where it listens and problems are reported, without what a visitor has requested', () => {
    for (const [line, expected] of [
      [
        'kid1| Accepting SSL bumped HTTP Socket connections at conn8 local=[::]:3128 remote=[::] FD 20',
        'listening on [::]:3128',
      ],
      [DOWN.slice(19), `Squid: ${DOWN.slice(21)}`],
      ['| ERROR: no a?b=c d on URL: http://x/', 'Squid: ERROR: no a d'],
      ['| WARNING: a\u001b[31m\u2028b', 'Squid: WARNING: a?[31m?b'],
      // What is usual, and entries that others cover.
      ['| Starting Squid Cache version 5.7', undefined],
      ["| WARNING: '.a' is a subnetwork of 'b'", undefined],
    ] as const) {
      const time = `2026/11/26 07:31:02${line.startsWith('|') ? '' : ' '}`
      assert.equal(reportedLine(time + line), expected)
    }
    const withoutTime = 'FATAL: Bungled squid.conf line 3'
    assert.equal(reportedLine(withoutTime), withoutTime)
  })
  test('an outage of the ICAP service, and no line that only quotes one', () => {
    assert.equal(isIcapOutage(DOWN), true)
    assert.equal(isIcapOutage(DOWN.replace('| ', ' kid1| ')), true)
    assert.equal(isIcapOutage(DOWN.replace('down', 'up')), false)
    assert.equal(isIcapOutage(`2026/11/26 07:31:02| ERROR: ${DOWN}`), false)
  })
})
