// Published files survive a kill at any moment: simulated at every step, at which the file system of this process stops
// working. This leaves the same files on the disk.
import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import fs, { cp, mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
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
  const parsed = <T>(name: string, parse: (pem: string) => T) => {
    const pem = files.get(name)
    return pem === undefined ? undefined : parse(pem)
  }
  const certificate = (name: string) => parsed(name, (pem) => new X509Certificate(pem))
  const key = (name: string) => parsed(name, createPrivateKey)
  for (const name of files.keys()) {
    assert.ok(name.endsWith('.key') ? key(name) : certificate(name), name)
    if (name.endsWith('.pem')) assert.ok(certificate(name)?.checkPrivateKey(key(name) ?? assert.fail(name)), name)
  }
  const leafKey = key('terminator/portal.key')
  const leaf = certificate('terminator/portal.crt')
  if (leaf !== undefined) assert.ok(leafKey !== undefined && leaf.checkPrivateKey(leafKey), 'the leaf and its key')
  const keys = [key('engine/ca.key'), key('engine/ca-next.key')]
  for (const ca of [certificate('ca/ca.crt'), certificate('ca/ca-next.crt')]) {
    const hasKey = ca === undefined || keys.some((one) => one !== undefined && ca.checkPrivateKey(one))
    assert.ok(hasKey, 'a CA and its key')
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

interface Moment {
  before(folder: string): Promise<unknown>
  run(folder: string): Promise<unknown>
  readonly now: number
}

const [RENEWAL, ACTIVATION] = [NOW + 61 * DAY_MS, NOW + 30 * DAY_MS]
const published = (folder: string) => publishAt(folder, NOW)
const moments: Readonly<Record<string, Moment>> = {
  'the first start': { before: async () => {}, run: published, now: NOW },
  'a renewal of the leaf': { before: published, run: (folder) => publishAt(folder, RENEWAL), now: RENEWAL },
  'the announcement of the next CA': { before: published, run: rotate, now: NOW },
  'the activation of the next CA': {
    before: (folder) => published(folder).then(() => rotate(folder)),
    run: (folder) => publishAt(folder, ACTIVATION),
    now: ACTIVATION,
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
