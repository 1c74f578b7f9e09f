import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { readStorage } from '../../src/database/durability.ts'
import { skipUnless } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skipWithoutRamfs = skipUnless(
  spawnSync('unshare', ['-rm', 'mount', '-t', 'ramfs', 'ramfs', tmpdir()]).status === 0,
  'needs Linux, and the right to mount a file system in a new namespace (unshare -rm)',
)
const onTmpfs = (folder: string) => existsSync(folder) && statfsSync(folder).type === 0x01021994

/** For temporary files, where these are in memory, too. */
const disk = [tmpdir(), '/var/tmp', process.cwd()].find((folder) => existsSync(folder) && !onTmpfs(folder))
const skipWithoutDisk = skipUnless(disk !== undefined, 'needs a folder on a disk: TMPDIR may name one')

function folderOnDisk(t: TestContext): string {
  const folder = mkdtempSync(join(disk ?? assert.fail(), 'durability-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const MEMORY = { memoryBacked: true, inTemporaryFolder: false }
const TEMPORARY = { memoryBacked: false, inTemporaryFolder: true }
const KEPT = { memoryBacked: false, inTemporaryFolder: false }

describe('storage that loses its content', () => {
  test('a folder for temporary files, and below it; any other folder on a disk is kept', {
    skip: skipWithoutDisk,
  }, async (t) => {
    const folder = folderOnDisk(t)
    assert.deepEqual(await readStorage(join(tmpdir(), 'portal.db')), onTmpfs(tmpdir()) ? MEMORY : TEMPORARY)
    for (const [name, expected] of [
      ['tmp', TEMPORARY],
      ['tmp-not', KEPT],
      ['dev/shm', KEPT],
      ['.', KEPT],
    ] as const) {
      mkdirSync(join(folder, name), { recursive: true })
      assert.deepEqual(await readStorage(join(folder, name, 'portal.db'), join(folder, 'tmp')), expected, name)
    }
  })
  test('ramfs', { skip: skipWithoutRamfs }, (t) => {
    const folder = temporaryFolder(t)
    const program = `
      const { readStorage } = await import(process.argv[1])
      process.stdout.write(JSON.stringify(await readStorage(process.argv[2])))`
    // In its own mount namespace: the mount ends with the process.
    const script = 'mount -t ramfs ramfs "$1" && exec "$2" --input-type=module --eval "$3" "$4" "$1/portal.db"'
    const durability = new URL('../../src/database/durability.ts', import.meta.url).href
    const words = ['-rm', 'sh', '-ec', script, 'sh', folder, process.execPath, program, durability]
    assert.deepEqual(JSON.parse(execFileSync('unshare', words, { encoding: 'utf8' })), MEMORY)
  })
  test('tmpfs, and memory itself', { skip: skipUnless(onTmpfs('/dev/shm'), 'needs a tmpfs at /dev/shm') }, async () => {
    for (const path of ['/dev/shm/portal.db', ':memory:']) assert.deepEqual(await readStorage(path), MEMORY)
  })
})
