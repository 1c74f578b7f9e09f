// What has Squid read its configuration again, without Squid.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
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
    passwords: { files: [], check() {} },
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
