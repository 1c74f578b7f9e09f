// What has Squid read its configuration again, without Squid.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Basis, type FollowOptions, follow } from '../../src/proxy/follow.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

test('a clock that is set back: Squid would remember answers of the seconds that repeat', async (t) => {
  const published = temporaryFolder(t)
  for (const name of ['proxy', 'bump', 'ca']) mkdirSync(join(published, name))
  const inputs = {} as Basis['inputs']
  const stop = new AbortController()
  const log: string[] = []
  let [time, looks, applied] = [1_000_000, 0, 0]
  const options = {
    ...{ published, basis: { inputs, ca: '', certificateCache: '4MB' }, pollMilliseconds: 1, signal: stop.signal },
    readInputs: () => inputs,
    machine() {
      looks++
      return { addresses: [], descriptors: 1_024 }
    },
    async apply() {
      applied++
      // Once not: it is tried again.
      return applied === 1 ? 'not now' : undefined
    },
    signIn: { files: [], check() {}, keytab: () => undefined },
    report: (line: string) => log.push(line),
    clock: () => time,
  } as unknown as FollowOptions
  const following = follow(options)
  const look = async () => {
    const from = looks
    await until(() => looks > from + 2)
  }
  await look()
  time += 5_000
  await look()
  assert.equal(applied, 0)
  time -= 1
  await look()
  assert.equal(applied, 2)
  await look()
  stop.abort()
  await following
  assert.equal(applied, 2)
  assert.deepEqual(log.at(-1), "reconfigured: this machine's clock was set back")
})

test('a new keytab: the helpers of Squid have read the old one', async (t) => {
  const published = temporaryFolder(t)
  for (const name of ['proxy', 'bump', 'ca']) mkdirSync(join(published, name))
  const inputs = {} as Basis['inputs']
  const stop = new AbortController()
  const log: string[] = []
  const keytabFile = join(published, 'keytab')
  let keytab: string | undefined
  const change = (content: string | undefined) => {
    keytab = content
    writeFileSync(keytabFile, content ?? '')
  }
  change('one')
  let looks = 0
  const following = follow({
    ...{
      published,
      basis: { inputs, ca: '', keytab: 'none', certificateCache: '4MB' },
      pollMilliseconds: 1,
      signal: stop.signal,
    },
    readInputs: () => inputs,
    machine() {
      looks++
      return { addresses: [], descriptors: 1_024 }
    },
    apply: async () => undefined,
    signIn: { files: [keytabFile], check() {}, keytab: () => keytab },
    report: (line: string) => log.push(line),
    clock: () => 0,
  } as unknown as FollowOptions)
  const seen: number[] = []
  // Undefined: it is not usable, and Squid keeps the one that it has.
  for (const content of ['one', 'other', 'other', undefined, 'other', 'third']) {
    change(content)
    const from = looks
    await until(() => looks > from + 2)
    seen.push(log.length)
  }
  stop.abort()
  await following
  // It was replaced before the first look, too.
  assert.deepEqual(seen, [1, 2, 2, 2, 2, 3])
  assert.equal(log.at(-1), 'reconfigured: the keytab has changed')
})
