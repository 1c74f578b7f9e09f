// A full disk and a read-only folder: a clear error, and no partial change.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type TestGateway, testGateway } from '../../test/gatewayctl/aup/gateway.ts'

/** A gateway whose folder is a separate file system of 128 KiB. */
async function gatewayOnSmallDisk(t: TestContext): Promise<{ gateway: TestGateway; disk: string }> {
  const disk = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk])
  assert.equal(mounted.status, 0, `${mounted.stderr}`)
  t.after(() => {
    spawnSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true, force: true })
  })
  const gateway = await testGateway(t, disk)
  await gateway.up()
  return { gateway, disk }
}

test('a full disk, at every level of remaining space', async (t) => {
  const { gateway, disk } = await gatewayOnSmallDisk(t)
  const first = await gateway.aup(['edit', '--file', '-'], { stdin: `# Old text\n\n${'rule '.repeat(1500)}\n` })
  assert.equal(first.status, 0, first.stderr)
  await gateway.aup(['disable'])
  const files = gateway.files()
  const filler = join(disk, 'filler')
  const pages = 4096
  let refused = 0
  for (const free of [0, 1, 2, 3, 4]) {
    fill(filler, free * pages)
    const { status, stderr } = await gateway.aup(['edit', '--file', '-'], {
      stdin: `# New text\n\n${'law '.repeat(2500)}\n`,
    })
    rmSync(filler)
    if (status === 0) break
    refused++
    assert.match(stderr, /error: \/\S+ cannot be \w+: the disk is full\n/)
    assert.doesNotMatch(stderr, / at \S+ \(/)
    assert.deepEqual(gateway.files(), files)
    const after = await gateway.aup(['status'])
    assert.deepEqual([after.status, after.stderr], [0, ''])
    assert.doesNotMatch((await gateway.page()) ?? '', /New text/)
  }
  assert.ok(refused >= 3, `${refused}`)
})

test('a read-only file system', async (t) => {
  const { gateway, disk } = await gatewayOnSmallDisk(t)
  mkdirSync(join(gateway.home, 'aup'))
  writeFileSync(gateway.text, '# Old text\n')
  const remount = (mode: string) => assert.equal(spawnSync('mount', ['-o', `remount,${mode}`, disk]).status, 0)
  async function assertRefused(...verb: readonly string[]): Promise<void> {
    const files = gateway.files()
    remount('ro')
    const { status, stderr } = await gateway.aup(verb, { stdin: '# New text\n' })
    const [show, state] = [await gateway.aup(['show']), await gateway.aup(['status'])]
    remount('rw')
    assert.equal(status, 1)
    assert.match(stderr, /^error: \/\S+ cannot be \w+: the file system is read-only\nNothing was changed\.\n$/)
    assert.equal(show.stdout, '# Old text\n')
    assert.equal(state.status, 0, state.stderr)
    assert.deepEqual(gateway.files(), files)
  }
  await assertRefused('edit', '--file', '-')
  await assertRefused('enable')
  assert.equal((await gateway.aup(['enable'])).status, 0)
  await assertRefused('disable')
})

/** Fills the disk except for this many bytes. */
function fill(path: string, free: number): void {
  spawnSync('dd', ['if=/dev/zero', `of=${path}`, 'bs=4096'])
  if (free === 0) return
  const { stdout } = spawnSync('stat', ['--format', '%s', path], { encoding: 'utf8' })
  spawnSync('truncate', ['--size', `${Math.max(0, Number(stdout) - free)}`, path])
}
