// `secret new` and `secret rotate`: the file is always complete, and the old secret is never printed.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { deriveKeyring, parseSecrets } from '../../src/contract/secret.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ended, gatewayctl, gatewayctlProcess, startGatewayctl } from './gatewayctl.ts'

const OLD = 'the-0ld-secret-of-this-test-0123456789abc'
const OTHER = 'an0ther-secret-of-this-test-0123456789abc'
const ROTATE = ['secret', 'rotate']
const keyId = (secret: string) => deriveKeyring([secret]).sealing.kid
const read = (file: string) => readFileSync(file, 'utf8').trim().split('\n')

test('secret new: 32 random bytes each, valid for portals', async () => {
  const [one, five, none] = await Promise.all(
    ['1', '5', '0'].map((count) => gatewayctl(['secret', 'new', '--count', count])),
  )
  const secrets = `${one?.stdout}${five?.stdout}`.trim().split('\n')
  assert.equal(new Set(secrets).size, 6)
  for (const secret of secrets) {
    assert.equal(Buffer.from(secret, 'base64url').length, 32)
    assert.deepEqual(parseSecrets(secret), [secret])
  }
  assert.deepEqual([none?.status, none?.stdout], [2, ''])
})

test('secret rotate, from one secret to another, in one folder through a link', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'target'))
  const target = join(folder, 'target', 'secret')
  const file = join(folder, "it's a secret")
  writeFileSync(target, `${OLD}\n`)
  chmodSync(target, 0o640)
  // Only root can change a file's owner.
  const owner = process.getuid?.() === 0 ? 1 : statSync(target).uid
  chownSync(target, owner, statSync(target).gid)
  symlinkSync(target, file)
  const env = { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '1' }
  const rotate = (...args: string[]) => gatewayctl([...ROTATE, '--file', file, ...args], { env })

  const tooEarly = await rotate('--finish', '--yes')
  assert.deepEqual([tooEarly.status, tooEarly.stdout], [1, ''])
  assert.match(tooEarly.stderr, /holds one secret: no rotation is under way/)

  const added = await rotate()
  assert.equal(added.status, 0, added.stderr)
  const [old, fresh = '', ...more] = read(target)
  assert.deepEqual([old, more], [OLD, []])
  assert.match(fresh, /^[\w-]{43}$/)
  assert.ok(added.stdout.includes(`the old one, key id ${keyId(OLD)}\n`))
  assert.ok(added.stdout.includes(`the new one, key id ${keyId(fresh)}\n`))
  assert.ok(added.stdout.includes(`--file '${file.replace("'", "'\\''")}' --finish`))
  assert.match(added.stdout, /waits 2 s first/)
  assert.equal(statSync(target).uid, owner)
  assert.equal(statSync(target).mode & 0o777, 0o640)

  const [third, shown, unasked] = await Promise.all([rotate(), rotate('--show-new'), rotate('--finish')])
  assert.deepEqual([third.status, third.stdout], [1, ''])
  assert.match(third.stderr, /holds two secrets already/)
  assert.deepEqual(shown, { status: 0, stdout: `${fresh}\n`, stderr: '' })
  assert.equal(unasked.status, 2)
  assert.deepEqual(read(target), [OLD, fresh])

  const startedAt = performance.now()
  const finished = await rotate('--finish', '--yes')
  assert.ok(performance.now() - startedAt >= 2000, 'it waits for the window and the allowance')
  assert.equal(finished.status, 0, finished.stderr)
  assert.match(finished.stderr, /^Waiting 2 s/)
  assert.deepEqual(read(target), [fresh])
  assert.equal(statSync(target).mode & 0o777, 0o640)
  assert.deepEqual(readdirSync(join(folder, 'target')), ['secret'])
  for (const { stdout, stderr } of [added, third, unasked, finished]) {
    for (const secret of [OLD, fresh]) assert.ok(!(stdout + stderr).includes(secret))
  }
})

test('--since shortens the wait; a file changed in the meantime, or after a kill, stays unchanged', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'secret')
  const write = (...secrets: string[]) => writeFileSync(file, secrets.join('\n'))
  write(OLD, OTHER)
  const env = { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '300' }
  const finish = [...ROTATE, '--file', file, '--finish', '--yes']
  const killed = startGatewayctl([...finish, '--since', '5m'], { env })
  await new Promise((resolve) => killed.stderr.once('data', resolve))
  killed.kill('SIGINT')
  assert.equal((await ended(killed)).status, 130)
  assert.deepEqual(read(file), [OLD, OTHER])

  const changed = startGatewayctl(finish, { env: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '1' } })
  changed.stderr.once('data', () => write(OTHER, OLD))
  const { status, stderr } = await ended(changed)
  assert.equal(status, 1)
  assert.match(stderr, /has changed in the meantime; nothing was done/)
  assert.deepEqual(read(file), [OTHER, OLD])

  const since = await gatewayctl([...finish, '--since', '7m'], { env })
  assert.deepEqual([since.status, since.stderr], [0, ''])
  assert.deepEqual(read(file), [OLD])
  const future = await gatewayctl([...finish, '--since', '2999-01-01'], { env })
  assert.equal(future.status, 2)
})

test('rejects what portals would reject; a failed write leaves the old file', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'secret')
  for (const [content, rule] of [
    ['short', /--file: .* must have 32 or more characters/],
    [`${OLD} ${OTHER} ${OLD}x`, /--file: .* must hold at most two secrets/],
    [`${OLD} ${OLD}`, /--file: .* must not hold the same secret twice/],
  ] as const) {
    writeFileSync(file, content)
    const { status, stdout, stderr } = await gatewayctl([...ROTATE, '--file', file])
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, rule)
    assert.ok(!stderr.includes(OLD) && !stderr.includes('short'))
    assert.equal(readFileSync(file, 'utf8'), content)
  }
  const missing = await gatewayctl([...ROTATE, '--file', join(folder, 'none')])
  assert.equal(missing.status, 2)
  assert.match(missing.stderr, /--file must name a file that can be read/)
  assert.equal((await gatewayctl([...ROTATE, '--finish'])).status, 2)

  writeFileSync(file, OLD)
  // The file size limit is zero.
  const shell = `trap '' XFSZ; ulimit -f 0; "$@"`
  const { status, stderr } = await gatewayctlProcess([...ROTATE, '--file', file], { shell })
  assert.equal(status, 1)
  assert.match(stderr, /^error: .*secret cannot be written: EFBIG/)
  assert.deepEqual(readdirSync(folder), ['secret'])
  assert.deepEqual(read(file), [OLD])
})

test('without a file it prints the steps, in their order', async () => {
  const { status, stdout } = await gatewayctl(ROTATE)
  assert.equal(status, 0)
  assert.match(
    stdout,
    /--file shared-secret\n.*Restart every portal.*--show-new.*--finish.*Restart every portal again/s,
  )
})

test('on a terminal it asks whether the engine has the new one', async (t) => {
  const file = join(temporaryFolder(t), 'secret')
  writeFileSync(file, `${OLD}\n${OTHER}\n`)
  const finish = [...ROTATE, '--file', file, '--finish', '--since', '1h']
  for (const [stdin, status, left] of [
    ['\n', 1, [OLD, OTHER]],
    ['y\n', 0, [OTHER]],
  ] as const) {
    const asked = await gatewayctl(finish, {}, { stdin, isTerminal: true })
    assert.equal(asked.status, status)
    assert.ok(asked.stderr.includes(`key id ${keyId(OTHER)}? [y/N]`), asked.stderr)
    assert.deepEqual(read(file), left)
  }
})
