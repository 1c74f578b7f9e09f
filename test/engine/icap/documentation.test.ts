// docs/icap.md agrees with the code.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LIMITS, MAXIMUM_HEAD_BYTES } from '../../../src/engine/icap/limits.ts'
import { icap } from '../../../src/engine/settings/icap.ts'

const DOCUMENT = readFileSync(new URL('../../../docs/icap.md', import.meta.url), 'utf8')

test('every key, with its default', () => {
  const { shape } = icap.unwrap()
  for (const key of Object.keys(shape)) assert.match(DOCUMENT, new RegExp(`^- \`${key}\`[ :]`, 'm'), key)
  const defaults = icap.parse({ token_file: 'x' })
  assert.deepEqual(defaults?.listen, { host: '127.0.0.1', port: 1344 })
  const expected = [
    '- `listen` (`127.0.0.1:1344`): ',
    `- \`connect\` (\`"${defaults?.connect}"\`): `,
    `- \`username\` (\`"${defaults?.username}"\`): `,
  ]
  for (const text of expected) assert.ok(DOCUMENT.includes(`\n${text}`), text)
})

test('every limit', () => {
  const expected = [
    `- ICAP head, HTTP head: ${MAXIMUM_HEAD_BYTES / 1024} KiB each, 256 fields`,
    `- heads and preview; first request of a connection: ${LIMITS.requestMs / 1000} seconds\n`,
    `- pause within a body: ${LIMITS.bodyPauseMs / 1000} seconds; whole body: ${LIMITS.bodyMs / 3_600_000} hour; `,
    `pause between requests: ${LIMITS.idleMs / 60_000} minutes\n`,
    `- connections: ${LIMITS.connections.toLocaleString('en')}\n`,
    `at most ${LIMITS.discardedBytes / 2 ** 20} MiB of a stopped one`,
    `at most ${LIMITS.stopMs / 1000} seconds for requests in flight`,
  ]
  for (const text of expected) assert.ok(DOCUMENT.includes(text), text)
})
