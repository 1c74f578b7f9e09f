// The folder proxy/ on disk: what changes, what stays, and what others put in its place.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ReloadResult } from '../../../src/engine/policy/reload/policy-store.ts'
import { startSettingsPublisher } from '../../../src/engine/proxy-settings/publish.ts'
import { inReverse } from '../../support/cleanup.ts'
import { skipUnless } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { recordLog } from '../recorded-log.ts'
import { configure, policy } from '../running-engine.ts'

const NAMES = 'exempt-clients exempt-hosts internal portal-names ruled-hosts safesearch tenants youtube'.split(' ')
const load = (inspection: string) => configure(policy(`[inspection]\nexempt_defaults = false\n${inspection}`)).policy

async function start(t: TestContext, intervalMs?: number) {
  const cleanup = inReverse(t)
  const folder = temporaryFolder(cleanup)
  const { log, lines } = recordLog()
  const loaded: ReloadResult = { result: 'loaded', problems: [], warnings: [] }
  const policies = { current: load('exempt = [".bank.example"]'), last: loaded }
  const publisher = startSettingsPublisher({
    folder,
    portal: { names: ['portal.example'] },
    policies,
    ruledHosts: { every: undefined },
    log,
    ...(intervalMs !== undefined && { intervalMs }),
  })
  cleanup.after(() => publisher.stop())
  const path = (name: string) => join(folder, 'proxy', name)
  return {
    folder,
    policies,
    publisher,
    path,
    /** What has been logged since the last call. */
    logged: () =>
      lines.splice(0).map(({ msg, files }) => (Array.isArray(files) ? `${msg}: ${files.join(' ')}` : String(msg))),
    async assertPublished(hosts = '.bank.example\n') {
      assert.deepEqual(
        (await readdir(path(''))).filter((name) => NAMES.includes(name)),
        NAMES,
      )
      for (const name of NAMES) assert.equal((await stat(path(name))).mode.toString(8), '100644', name)
      assert.equal(await readFile(path('exempt-hosts'), 'utf8'), hosts)
    },
  }
}

test('all files exist after the first time, whatever the umask, and only those that change are written again', async (t) => {
  const umask = process.umask(0o077)
  t.after(() => process.umask(umask))
  const { publisher, policies, path, logged, assertPublished } = await start(t)
  await publisher.publish()
  await assertPublished()
  assert.equal((await stat(path(''))).mode & 0o777, 0o755)
  assert.deepEqual(logged(), [
    "published the proxy's settings: portal-names exempt-hosts exempt-clients internal safesearch youtube tenants ruled-hosts",
  ])
  const files = () => Promise.all(NAMES.map(async (name) => (await stat(path(name))).ino))
  const before = await files()
  await publisher.publish()
  assert.deepEqual(await files(), before)
  assert.deepEqual(logged(), [])
  policies.current = load('exempt = ["a.example"]\nyoutube = "strict"')
  await publisher.publish()
  assert.deepEqual(logged(), ["published the proxy's settings: exempt-hosts youtube"])
  await assertPublished('a.example\n')
  const changed = (await files()).flatMap((inode, at) => (inode === before[at] ? [] : [NAMES[at]]))
  assert.deepEqual(changed, ['exempt-hosts', 'youtube'])
  assert.deepEqual((await readdir(path(''))).toSorted(), NAMES)
})

test('the last policy is the last one written, however often it changes meanwhile', async (t) => {
  const { publisher, policies, assertPublished } = await start(t)
  const publications = Array.from({ length: 20 }, (_, number) => {
    policies.current = load(`exempt = ["n${number}.example"]`)
    return publisher.publish()
  })
  await Promise.all(publications)
  await assertPublished('n19.example\n')
})

test('what others put in place of a file is replaced, and neither followed nor waited for', {
  timeout: 20_000,
}, async (t) => {
  const { folder, publisher, path, logged, assertPublished } = await start(t)
  const elsewhere = join(folder, 'elsewhere')
  const file = path('exempt-hosts')
  const faults: Record<string, () => Promise<unknown>> = {
    'a link to the right content': async () => {
      await writeFile(elsewhere, '.bank.example\n')
      await symlink(elsewhere, file)
    },
    'a dangling link': () => symlink(join(folder, 'nowhere'), file),
    'a pipe': async () => execFileSync('mkfifo', [file], { timeout: 5000 }),
    // As long as the file: empty.
    'a pipe for an empty file': async () => {
      await rm(path('internal'))
      execFileSync('mkfifo', ['-m', '644', path('internal')], { timeout: 5000 })
    },
    'other content of the same length': () => writeFile(file, '.bonk.example\n'),
    'an endless file': () => writeFile(file, 'x'.repeat(1_000_000)),
    'a file that only the engine can read': () => writeFile(file, '.bank.example\n', { mode: 0o600 }),
    'what a kill left behind': async () => {
      await writeFile(`${file}.unfinished`, 'half')
      await symlink(elsewhere, path('tenants.unfinished'))
      await rm(path('tenants'))
    },
  }
  await publisher.publish()
  for (const [name, place] of Object.entries(faults)) {
    await rm(file)
    await writeFile(elsewhere, 'unchanged')
    await place()
    await publisher.publish()
    await assertPublished()
    assert.match(logged().join(), /exempt-hosts/, name)
  }
  assert.equal(await readFile(elsewhere, 'utf8'), 'unchanged')
  assert.deepEqual((await readdir(path(''))).toSorted(), NAMES)
})

test('where it cannot write, it says once what to do, keeps trying, and recovers', { timeout: 20_000 }, async (t) => {
  const { publisher, path, policies, logged, assertPublished } = await start(t, 5)
  await publisher.publish()
  logged()
  await rm(path('internal'))
  await mkdir(path('internal'))
  await writeFile(path('internal/x'), '')
  await publisher.publish()
  await publisher.publish()
  const [said = '', ...more] = logged()
  assert.match(
    said,
    /^cannot publish \S+\/proxy\/internal \((EISDIR|ENOTEMPTY|EEXIST)\): .*install -d -m 755 .*\/proxy$/,
  )
  assert.deepEqual(more, [])
  await rm(path('internal'), { recursive: true })
  await until(() => logged().includes("published the proxy's settings: internal"))
  await assertPublished()
  const folder = path('').replace(/\/$/, '')
  for (const place of [() => writeFile(folder, ''), () => symlink(tmpdir(), folder)]) {
    // The publisher may create it again in between.
    await until(async () => {
      await rm(folder, { recursive: true, force: true }).catch(() => {})
      return await place().then(
        () => true,
        () => false,
      )
    })
    policies.current = load('exempt = ["b.example"]')
    await publisher.publish()
    // An earlier one may have found the folder, and then no files in it.
    assert.match(logged().at(-1) ?? '', /^cannot publish \S+\/proxy \(/)
  }
  await rm(folder)
  await until(() => logged().some((message) => message.startsWith('published')))
  await assertPublished('b.example\n')
})

test('a folder that this user can only read suffices while it has the right content', {
  skip: skipUnless(process.geteuid?.() !== 0 || process.platform === 'linux', 'needs another user'),
}, async (t) => {
  const { folder, publisher, policies, path, logged, assertPublished } = await start(t)
  await publisher.publish()
  logged()
  const isRoot = process.geteuid?.() === 0
  if (isRoot) {
    await chmod(folder, 0o755)
    process.seteuid?.(65_534)
    t.after(() => process.seteuid?.(0))
  } else await chmod(path(''), 0o555)
  await publisher.publish()
  assert.deepEqual(logged(), [])
  policies.current = load('exempt = ["b.example"]')
  await publisher.publish()
  assert.match(
    logged().join(),
    /^cannot publish \S+\/exempt-hosts \(EACCES\): the proxy keeps the settings that it has/,
  )
  if (isRoot) process.seteuid?.(0)
  else await chmod(path(''), 0o755)
  await assertPublished()
})
