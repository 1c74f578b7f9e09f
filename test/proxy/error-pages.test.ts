import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorPages, PAGE_NAMES } from '../../src/proxy/squid/error-pages.ts'

const FOLDER = new URL('../../deploy/proxy/errors/', import.meta.url)
const read = (name: string) => readFileSync(new URL(`${name}.html`, FOLDER), 'utf8')
const FRAME = read('page')

test('every page is for an error, and every file is a page', () => {
  assert.deepEqual(
    [...PAGE_NAMES, 'page'].toSorted(),
    readdirSync(FOLDER)
      .map((name) => name.replace('.html', ''))
      .toSorted(),
  )
})

test('each error has its page; those that have none of their own have the same', () => {
  const pages = errorPages(FRAME, read, ['ERR_DNS_FAIL', 'ERR_FTP_FAILURE', 'ERR_SHUTTING_DOWN', 'error-details.txt'])
  assert.equal(pages['error-details.txt'], undefined)
  assert.ok(pages.ERR_DNS_FAIL?.includes(read('not-found')))
  assert.ok(pages.ERR_ICAP_FAILURE?.includes(read('cannot-decide')))
  assert.ok(pages.ERR_FTP_FAILURE?.includes(read('gateway-problem')))
  assert.equal(pages.ERR_FTP_FAILURE, pages.ERR_SHUTTING_DOWN)
})

test('Squid fills in the details, and no page has a placeholder of ours', () => {
  const page = errorPages(FRAME, () => 'of the page: $& %x\n', [])
  for (const text of Object.values(page)) {
    assert.ok(
      text.includes(
        '<main>\nof the page: $& %x\n<footer lang="en" translate="no">%c &middot; <bdi>%H</bdi> &middot; %T</footer>',
      ),
    )
    assert.doesNotMatch(text, /\$\{/)
  }
})
