// Published files survive a kill at any moment: simulated at every step (the file system of this process stops working
// there, which leaves the same files on the disk), and with SIGKILL.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import fs, { cp, mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishCertificates } from '../../../src/engine/certificates/publish.ts'
import { rotateCa } from '../../../src/engine/certificates/rotate.ts'
import { writeFileAtomically } from '../../../src/engine/files/atomic-file.ts'
import { DAY_MS } from '../publishing.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const works = { ...fs }
const CHANGING = ['open', 'rename', 'rm', 'mkdir', 'chmod', 'lchown'] as const

interface Interruption {
  /** The steps that were taken. */
  readonly steps: string[]
  /** With which each file was opened. */
  readonly flags: unknown[]
  readonly happened: boolean
}

/** Runs with a file system that stops working for good after so many steps. */
async function interrupted(after: number, run: () => Promise<unknown>): Promise<Interruption> {
  const steps: string[] = []
  const flags: unknown[] = []
  let happened = false
  const step = (name: string) => {
    happened ||= steps.length === after
    if (happened) throw new Error('killed')
    steps.push(name)
  }
  for (const name of CHANGING) {
    const original = works[name] as (...args: unknown[]) => Promise<unknown>
    const stepping = async (...args: unknown[]) => {
      step(name)
      if (name === 'open') flags.push(args[1])
      const result = await original(...args)
      return name === 'open' ? stepByStep(result as fs.FileHandle, step) : result
    }
    Object.assign(fs, { [name]: stepping })
  }
  syncBuiltinESMExports()
  try {
    await run()
  } catch (error) {
    assert.equal((error as Error).message, 'killed')
  } finally {
    Object.assign(fs, works)
    syncBuiltinESMExports()
  }
  return { steps, flags, happened }
}

/** A file is half written when the second half is one step too many. */
function stepByStep(file: fs.FileHandle, step: (name: string) => void): fs.FileHandle {
  const { writeFile, close } = file
  return Object.assign(file, {
    async writeFile(content: string) {
      step('write half')
      await writeFile.call(file, content.slice(0, 100))
      step('write')
      await writeFile.call(file, content.slice(100))
    },
    close: () => close.call(file),
  })
}

/** What holds at every moment. */
function assertWhole(folder: string): void {
  const files = new Map<string, string>()
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.includes('.key'))
      assert.equal(statSync(join(folder, name)).mode & 0o077, 0, `${name} is for its owner alone`)
    if (name.includes('.pem'))
      assert.equal(statSync(join(folder, name)).mode & (name.startsWith('bump/') ? 0o137 : 0o177), 0, name)
    if (/\.(crt|key|pem)$/.test(name)) files.set(name, readFileSync(join(folder, name), 'utf8'))
  }
  const certificate = (name: string) => {
    const pem = files.get(name)
    return pem === undefined ? undefined : new X509Certificate(pem)
  }
  const key = (name: string) => {
    const pem = files.get(name)
    return pem === undefined ? undefined : createPrivateKey(pem)
  }
  for (const name of files.keys()) {
    assert.ok(name.endsWith('.key') ? key(name) : certificate(name), name)
    if (name.endsWith('.pem')) assert.ok(certificate(name)?.checkPrivateKey(key(name) ?? assert.fail(name)), name)
  }
  const leafKey = key('terminator/portal.key')
  const leaf = certificate('terminator/portal.crt')
  if (leaf !== undefined) assert.ok(leafKey !== undefined && leaf.checkPrivateKey(leafKey), 'the leaf and its key')
  for (const ca of [certificate('ca/ca.crt'), certificate('ca/ca-next.crt')]) {
    const keys = [key('engine/ca.key'), key('engine/ca-next.key')]
    if (ca !== undefined)
      assert.ok(
        keys.some((one) => one !== undefined && ca.checkPrivateKey(one)),
        'a CA and its key',
      )
  }
}

const OPTIONS = { organisation: 'Test', controlNames: [] }

function publishAt(folder: string, now: number) {
  return publishCertificates({ folder, portalHost: 'portal.example', clock: () => now, ...OPTIONS })
}

// In memory where the system has such a folder: hundreds of syncs would keep a disk busy, and prove nothing here.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(PLACE, 'engine-kill-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

const rotate = (folder: string) => rotateCa({ folder, organisation: 'Test' }, 30, NOW)

const moments: Readonly<
  Record<
    string,
    { before: (folder: string) => Promise<unknown>; run: (folder: string) => Promise<unknown>; now: number }
  >
> = {
  'the first start': { before: async () => {}, run: (folder) => publishAt(folder, NOW), now: NOW },
  'a renewal of the leaf': {
    before: (folder) => publishAt(folder, NOW),
    run: (folder) => publishAt(folder, NOW + 61 * DAY_MS),
    now: NOW + 61 * DAY_MS,
  },
  'the announcement of the next CA': {
    before: (folder) => publishAt(folder, NOW),
    run: rotate,
    now: NOW,
  },
  'the activation of the next CA': {
    before: (folder) => publishAt(folder, NOW).then(() => rotate(folder)),
    run: (folder) => publishAt(folder, NOW + 30 * DAY_MS),
    now: NOW + 30 * DAY_MS,
  },
}

for (const [name, { before, run, now }] of Object.entries(moments)) {
  test(`${name}, killed at each of its steps`, async (t) => {
    const prepared = await makeFolder(t)
    await before(prepared)
    const wanted = readdirSync(prepared).length === 0 ? undefined : readFileSync(join(prepared, 'ca/ca.crt'), 'utf8')
    for (let after = 0; ; after++) {
      const folder = await makeFolder(t)
      await cp(prepared, folder, { recursive: true, preserveTimestamps: true })
      const { steps, happened } = await interrupted(after, () => run(folder))
      const killedAt = `killed after ${steps.join(', ')}`
      assert.doesNotThrow(() => assertWhole(folder), killedAt)
      if (!happened) {
        assert.ok(after > 10, 'there were steps')
        break
      }
      await publishAt(folder, now)
      assertWhole(folder)
      const ca = new X509Certificate(readFileSync(join(folder, 'ca/ca.crt')))
      const leaf = new X509Certificate(readFileSync(join(folder, 'terminator/portal.crt')))
      assert.ok(leaf.verify(ca.publicKey), killedAt)
      for (const pair of ['bump/ca.pem', 'control/control.pem']) {
        assert.ok(new X509Certificate(readFileSync(join(folder, pair))).verify(ca.publicKey), `${pair} ${killedAt}`)
      }
      assert.ok(readdirSync(join(folder, 'engine')).includes('ca.key'), killedAt)
      if (name !== 'the activation of the next CA' && wanted !== undefined)
        assert.equal(readFileSync(join(folder, 'ca/ca.crt'), 'utf8'), wanted)
    }
  })
}

test('a file is on disk before it is renamed', async (t) => {
  const folder = await makeFolder(t)
  const { steps, flags } = await interrupted(Number.POSITIVE_INFINITY, () =>
    writeFileAtomically(join(folder, 'a'), 'text', 0o600),
  )
  assert.deepEqual(steps, ['rm', 'open', 'chmod', 'write half', 'write', 'rename'])
  const { O_SYNC, O_EXCL } = fs.constants
  assert.equal(Number(flags[0]) & (O_SYNC | O_EXCL), O_SYNC | O_EXCL)
})

test('killed repeatedly with SIGKILL', { timeout: 60_000 }, async (t) => {
  const folder = await makeFolder(t)
  const at = (name: string) => JSON.stringify(new URL(`../../../src/engine/certificates/${name}`, import.meta.url).href)
  // Renewals for one host after the other, and a rotation every third time.
  const endless = `
    const { publishCertificates } = await import(${at('publish.ts')})
    const { rotateCa } = await import(${at('rotate.ts')})
    const folder = ${JSON.stringify(folder)}
    for (let round = 0; ; round++) {
      const now = Date.now()
      await publishCertificates({ folder, portalHost: 'host' + round, clock: () => now, ...${JSON.stringify(OPTIONS)} })
      if (round % 3 === 0) await rotateCa({ folder, organisation: 'Test' }, 0, now)
      if (round === 0) process.stdout.write('running')
    }`
  for (let round = 0; round < 4; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', endless], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
    assert.equal(String(first), 'running')
    await sleep(Math.random() * 100)
    child.kill('SIGKILL')
    await once(child, 'close')
    assertWhole(folder)
  }
  await publishAt(folder, Date.now())
  assertWhole(folder)
})
