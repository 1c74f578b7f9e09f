// Seen: a list of 2 MB, compressed with gzip, was unpacked to 1 GiB of one repeated name. The engine kept a hash of each
// line, and another while it built the table: 1.3 GiB for one name, where its unit and its container allow 1 GiB. It was killed,
// at every start again, and the proxy stopped all requests. Since lists are downloaded; archives had the same effect.
import assert from 'node:assert/strict'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { openPolicyStore } from '../../src/engine/policy/reload/policy-store.ts'
import { NO_OPTIONS, policy, policyOf } from '../engine/running-engine.ts'
import { gzipRepeated, startListServer } from '../engine/update-lists/list-server.ts'
import { forgetPeakBytes, peakBytes } from '../support/processes.ts'
import { skipUnless, skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const LIMIT = 256 * 1024 ** 2
const LINE = 'casino.example\n'
/** 16 MiB, but for a few bytes. */
const LINES = Buffer.from(LINE.repeat(Math.floor(2 ** 24 / LINE.length)))

test('a download that unpacks to more than 256 MiB is cut off there, and refused', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const body = gzipRepeated(LINES, 20)
  assert.ok(body.length < 1_000_000)
  const { update, read, path, longestSeen } = await startListServer(t, { '/list.gz': { body } })
  writeFileSync(path('list.txt'), LINE)
  assert.deepEqual(await update('list.txt ORIGIN/list.gz'), {
    status: 1,
    lines: ['list.txt: unpacked, the download is longer than 256 MiB'],
  })
  assert.equal(read('list.txt'), LINE)
  assert.ok(longestSeen() <= LIMIT, `${longestSeen()} bytes`)
})

const skipElsewhere = skipUnless(process.platform === 'linux', 'needs the peak of the memory that Linux reports')

/** Megabytes that a list of these parts, as often as that, needs while it is read. */
async function megabytesFor(t: { after(close: () => unknown): void }, part: (index: number) => Buffer, times: number) {
  const folder = temporaryFolder(t)
  const config = join(folder, 'policy.toml')
  writeFileSync(config, policy('[[lists]]\nname = "gambling"\npath = "gambling.txt"'))
  const file = openSync(join(folder, 'gambling.txt'), 'w')
  for (let index = 0; index < times; index++) writeSync(file, part(index))
  closeSync(file)
  forgetPeakBytes(process.pid)
  const before = peakBytes(process.pid)
  const store = await openPolicyStore({
    ...policyOf({ ...NO_OPTIONS, config, publish: join(folder, 'published') }),
    log: pino({ enabled: false }),
    clock: Date.now,
  })
  await store.close()
  return { names: store.current.lists[0]?.table?.size, megabytes: (peakBytes(process.pid) - before) / 1e6 }
}

test('the engine needs little memory for a name that a list repeats nine million times', {
  skip: skipElsewhere,
}, async (t) => {
  const { names, megabytes } = await megabytesFor(t, () => LINES, 8)
  assert.equal(names, 1)
  assert.ok(megabytes < 100, `${megabytes} MB`)
})

test('control: a list without repetitions', { skip: skipElsewhere }, async (t) => {
  const part = (index: number) =>
    Buffer.from(Array.from({ length: 100_000 }, (_, at) => `n${index}-${at}.example\n`).join(''))
  const { names, megabytes } = await megabytesFor(t, part, 10)
  assert.equal(names, 1_000_000)
  assert.ok(megabytes < 100, `${megabytes} MB`)
})
