// Archives that no backup of a gateway is: with the public key, anyone can make them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Failure } from '../../../src/gatewayctl/failure.ts'
import { readDecrypted } from '../../../src/gatewayctl/restore/decrypt.ts'
import { attributesOf } from '../../../src/gatewayctl/restore/expected-paths.ts'
import { createStaging } from '../../../src/gatewayctl/restore/staging.ts'
import { unpack } from '../../../src/gatewayctl/restore/unpack.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createArchive, createKey, cutOff, OWN, type Packed, skipWithoutAge } from './backup.ts'

const ENV = 'etc/gateway/.env'
const STATE = 'var/lib/gateway-engine/engine/state.db'

const key = skipWithoutAge ? { file: '', recipient: '' } : createKey({ after })

/** An empty machine, and what unpacking a file on it gives. */
function bareMachine(t: TestContext, free?: (folder: string) => Promise<number>) {
  const root = temporaryFolder(t)
  for (const folder of ['etc', 'var/lib']) mkdirSync(join(root, folder), { recursive: true })
  const staging = createStaging(root, 0, 'archive', free)
  return {
    root,
    staging,
    open: async (file: string, key: string) =>
      await readDecrypted({ env: process.env }, file, key, (source) => unpack(source, 'archive', staging, OWN)),
  }
}

async function opened(t: TestContext, packed: Packed) {
  const machine = bareMachine(t)
  const archive = createArchive(t, key, 'engine', packed)
  return { ...machine, unpacked: await machine.open(archive, key.file) }
}

async function refusal(t: TestContext, packed: Packed): Promise<string> {
  const error = await opened(t, packed).then(
    () => assert.fail('it was unpacked'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof Failure, `${error}`)
  assert.match(error.message, /; nothing was changed$/)
  return error.message
}

describe('an archive', { skip: skipWithoutAge }, () => {
  test('is unpacked next to its targets; control of those that are refused', async (t) => {
    const { root, staging, unpacked } = await opened(t, {
      files: {
        'gateway-backup': 'version 2026.49.0\n',
        [STATE]: 'state',
        [ENV]: 'A=1\n',
        'etc/systemd/system/gateway-portal.service.d/x.conf': '[Service]\n',
        'etc/systemd/journald.conf.d/gateway.conf': '[Journal]\n',
        'etc/logrotate.d/gateway': '/var/log/gateway/portal.log {}\n',
      },
    })
    assert.equal(unpacked.manifest?.version, '2026.49.0')
    assert.deepEqual(unpacked.leftOut, [])
    // The folders themselves were not in the archive.
    assert.equal(readFileSync(staging.pathOf(STATE), 'utf8'), 'state')
    assert.equal(statSync(staging.pathOf(ENV)).mode & 0o7777, 0o600)
    assert.deepEqual(readdirSync(join(root, 'etc')), ['.gateway-restore-0'])
    assert.deepEqual(unpacked.folders.toSorted(), [
      'etc/gateway',
      'etc/systemd/system/gateway-portal.service.d',
      'var/lib/gateway-engine',
    ])
    assert.deepEqual(unpacked.files, ['etc/systemd/journald.conf.d/gateway.conf', 'etc/logrotate.d/gateway'])
    assert.equal(readFileSync(staging.pathOf('etc/systemd/journald.conf.d/gateway.conf'), 'utf8'), '[Journal]\n')
    staging.remove()
    assert.deepEqual(readdirSync(join(root, 'var/lib')), [])
  })

  test('with a path outside is refused', async (t) => {
    const file = { 'etc/gateway/x': 'x' }
    for (const to of [
      'etc/passwd',
      '/etc/gateway/x',
      'etc/gateway/../passwd',
      '../etc/gateway/x',
      'etc/gateway-x',
      'etc/systemd/system/x.service',
      'etc/systemd/system/gateway-x.service',
      'var/lib/portal/../../x',
      './etc/gateway/x',
      'etc/systemd/journald.conf.d/other.conf',
      'etc/systemd/journald.conf.d/gateway.conf/x',
      'etc/systemd/journald.conf',
      'etc/rsyslog.d/other.conf',
      'etc/rsyslog.d/gateway.conf.d/x',
      'etc/logrotate.d/other',
      'etc/logrotate.d/gateway/../../passwd',
      'etc/sysctl.d/60-gateway.conf',
      'var/lib/../../etc/rsyslog.d/gateway.conf',
    ]) {
      const message = await refusal(t, { files: file, tar: ['--absolute-names', '--transform', `s,.*,${to},`] })
      assert.ok(message.includes(to) && message.includes('which no backup has'), message)
    }
  })

  test('with a device or a pipe is refused', async (t) => {
    assert.match(
      await refusal(t, {
        files: { [ENV]: '' },
        tar: ['--transform', 's,dev/null,etc/gateway/null,', '-C', '/', 'dev/null'],
      }),
      /etc\/gateway\/null is a device or another special file/,
    )
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'etc/gateway'), { recursive: true })
    execFileSync('mkfifo', [join(folder, 'etc/gateway/pipe')])
    assert.match(
      await refusal(t, { files: { [ENV]: '' }, tar: ['-C', folder, 'etc/gateway/pipe'] }),
      /pipe is a device/,
    )
  })

  /** A folder with links, for tar. */
  const withLinks = (t: TestContext, links: Readonly<Record<string, string>>) => {
    const folder = temporaryFolder(t)
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      symlinkSync(target, join(folder, path))
    }
    return ['-C', folder, ...Object.keys(links)]
  }

  test('leaves links out that lead out of their folder, and has the others', async (t) => {
    const outside = {
      'etc/gateway/a': '/etc/shadow',
      'etc/gateway/b': '../../shadow',
      'etc/gateway/c': '/var/lib/portal',
      'etc/gateway/d': '/etc/gateway/../shadow',
      'var/lib/gateway-lists': '/srv/lists',
    }
    const inside = { 'etc/gateway/e': 'aup/logo.svg', 'etc/gateway/f': '/etc/gateway/aup' }
    const { staging, unpacked } = await opened(t, {
      files: { [ENV]: '' },
      tar: withLinks(t, { ...outside, ...inside }),
    })
    assert.deepEqual(
      unpacked.leftOut,
      Object.entries(outside).map(([path, target]) => `/${path} -> ${target}`),
    )
    for (const path of Object.keys(outside)) assert.ok(!existsSync(staging.pathOf(path)), path)
    for (const [path, target] of Object.entries(inside)) assert.equal(readlinkSync(staging.pathOf(path)), target)
    assert.deepEqual(unpacked.folders, ['etc/gateway'])
  })

  test('has each file of the logs as a file: as a link it is left out, as a folder the archive is refused', async (t) => {
    const path = 'etc/rsyslog.d/gateway.conf'
    for (const target of ['/etc/shadow', 'gateway.conf', '/etc/rsyslog.d/gateway.conf', '/etc/gateway/rsyslog.conf']) {
      const { staging, unpacked } = await opened(t, { files: { [ENV]: '' }, tar: withLinks(t, { [path]: target }) })
      assert.deepEqual([unpacked.leftOut, unpacked.files], [[`/${path} -> ${target}`], []])
      assert.ok(!existsSync(staging.pathOf(path)))
    }
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, path), { recursive: true })
    const tar = ['-C', folder, path]
    assert.match(await refusal(t, { files: { [ENV]: '' }, tar }), /gateway\.conf as a folder, which no backup has/)
    const parent = withLinks(t, { 'etc/rsyslog.d': '/etc/gateway' })
    assert.match(await refusal(t, { files: { [path]: '' }, tar: parent }), /rsyslog\.d, which no backup has/)
  })

  test('that writes through a link is refused, wherever that leads', async (t) => {
    for (const target of ['/etc', 'aup', '/etc/gateway/aup']) {
      const folder = temporaryFolder(t)
      mkdirSync(join(folder, 'etc/gateway/link'), { recursive: true })
      writeFileSync(join(folder, 'etc/gateway/link/passwd'), 'root::0:0')
      const links = withLinks(t, { 'etc/gateway/link': target })
      const message = await refusal(t, {
        files: { 'etc/gateway/aup/x': '' },
        tar: [...links, '-C', folder, 'etc/gateway/link/passwd'],
      })
      assert.match(message, /link\/passwd below a file or a link/)
    }
  })

  test('that has a path twice, or a file that is a folder later, is refused', async (t) => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, ENV), { recursive: true })
    assert.match(await refusal(t, { files: { [ENV]: '' }, tar: [ENV] }), /\.env twice/)
    assert.match(await refusal(t, { files: { [ENV]: '' }, tar: ['-C', folder, ENV] }), /\.env twice/)
  })

  test('has hard links to its own files only', async (t) => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'etc/gateway'), { recursive: true })
    writeFileSync(join(folder, 'etc/gateway/one'), 'content')
    execFileSync('ln', [join(folder, 'etc/gateway/one'), join(folder, 'etc/gateway/two')])
    const both = ['-C', folder, 'etc/gateway/one', 'etc/gateway/two']
    const { staging } = await opened(t, { files: { [ENV]: '' }, tar: both })
    assert.equal(readFileSync(staging.pathOf('etc/gateway/two'), 'utf8'), 'content')
    for (const to of ['etc/passwd', 'etc/gateway/other']) {
      const tar = ['--transform', `s,etc/gateway/one,${to},RSh`, ...both]
      assert.match(await refusal(t, { files: { [ENV]: '' }, tar }), /which no backup has|which it does not have/)
    }
  })

  test('larger than the disk is refused, however small it is itself', async (t) => {
    const zeros = join(temporaryFolder(t), 'etc/gateway')
    mkdirSync(zeros, { recursive: true })
    execFileSync('truncate', ['--size', '20M', join(zeros, 'zeros')])
    const archive = createArchive(t, key, 'engine', {
      files: { [ENV]: '' },
      tar: ['-C', join(zeros, '../..'), 'etc/gateway/zeros'],
    })
    assert.ok(statSync(archive).size < 1_000_000)
    let free = 40 * 1024 * 1024
    const machine = bareMachine(t, async () => (free -= 16 * 1024 * 1024))
    await assert.rejects(machine.open(archive, key.file), /has more than there is room for .*: nothing was changed/)
    const roomy = bareMachine(t)
    await roomy.open(archive, key.file)
  })

  test('that is cut or damaged, for another key, or none at all is refused', async (t) => {
    const other = createKey(t)
    const files = { [ENV]: 'A=1\n', [STATE]: 'x'.repeat(300_000) }
    const archive = createArchive(t, key, 'engine', { files })
    const { open } = bareMachine(t)
    await assert.rejects(open(archive, other.file), /cannot be decrypted: no identity matched .*; nothing was changed/)
    for (const bytes of [1, 100])
      await assert.rejects(open(cutOff(t, archive, bytes), key.file), /cannot be decrypted: .*; nothing was changed/)
    const tar = gzipSync(Buffer.alloc(2048, 'x'))
    for (const bytes of [Buffer.from('no archive'), Buffer.alloc(0), tar, gzipSync('').subarray(0, 5)]) {
      await refusal(t, { bytes })
    }
    await assert.rejects(bareMachine(t).open(join(temporaryFolder(t), 'none'), key.file), /cannot be decrypted/)
    assert.match(await refusal(t, { files: { 'gateway-backup': 'version 2026.49.0\n' } }), /has no file of a gateway/)
  })

  test('cut after its content ends is refused', async (t) => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'etc/gateway'), { recursive: true })
    writeFileSync(join(folder, ENV), 'A=1\n')
    const tar = execFileSync('tar', ['--create', '--gzip', '-C', folder, 'etc/gateway'])
    const padded = createArchive(t, key, 'engine', { bytes: Buffer.concat([tar, Buffer.alloc(300_000)]) })
    await assert.rejects(bareMachine(t).open(cutOff(t, padded, 100), key.file), /cannot be decrypted: /)
  })

  test('cut before it was encrypted is refused, wherever it ends', async (t) => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'etc/gateway'), { recursive: true })
    writeFileSync(join(folder, ENV), 'A=1\n'.repeat(5_000))
    const whole = execFileSync('tar', ['--create', '--gzip', '-C', folder, 'etc/gateway'])
    for (const length of [20, whole.length - 9, whole.length - 1]) {
      assert.match(await refusal(t, { bytes: whole.subarray(0, length) }), /is damaged or cut|is cut/)
    }
  })
})

test('without age, the message says what to install', async (t) => {
  const env = { PATH: temporaryFolder(t) }
  await assert.rejects(
    readDecrypted({ env }, 'x', 'y', async (source) => void (await source.read(1))),
    /apt-get install age/,
  )
})

test('owners and modes are those of the packages, whatever the archive says', () => {
  const open = { mode: 0o6777, user: 'root', group: 'gateway' }
  const given = { mode: 0o640, user: 'gateway-proxy', group: 'gateway-bump' }
  const show = (path: string, from: typeof open, isFolder = false) => {
    const { user, group, mode } = attributesOf(path, from, isFolder)
    return `${user} ${group} ${mode.toString(8)}`
  }
  assert.equal(show('etc/gateway', open, true), 'root gateway 750')
  assert.equal(show(ENV, open), 'root root 600')
  assert.equal(show('etc/gateway/secrets/shared-secret', open), 'root root 700')
  assert.equal(show('etc/gateway/secrets/shared-secret', given), 'root root 600')
  assert.equal(show('etc/gateway/proxy.keytab', { ...given, mode: 0o400 }), 'gateway-proxy gateway-bump 400')
  assert.equal(show('etc/gateway/x', { ...open, user: 'anna', group: 'sudo' }), 'root root 775')
  assert.equal(
    show('var/lib/gateway-engine/engine/ca.key', { ...given, mode: 0o600 }),
    'gateway-engine gateway-bump 600',
  )
  assert.equal(
    show('var/lib/gateway-engine/bump', { ...given, mode: 0o2750 }, true),
    'gateway-engine gateway-bump 2750',
  )
  assert.equal(show('var/lib/gateway-engine/x', open), 'gateway-engine gateway 755')
  assert.equal(show('var/lib/portal/portal.db', { ...given, mode: 0o644 }), 'gateway-portal gateway-portal 600')
  assert.equal(show('var/lib/gateway-lists/a.txt', open), 'gateway-lists gateway-lists 755')
  assert.equal(show('etc/systemd/system/gateway-portal.service.d/x.conf', open), 'root root 755')
  for (const path of ['systemd/journald.conf.d/gateway.conf', 'rsyslog.d/gateway.conf', 'logrotate.d/gateway-proxy']) {
    assert.equal(show(`etc/${path}`, open), 'root root 644')
    assert.equal(show(`etc/${path}`, { ...given, mode: 0o4600 }), 'root root 600')
  }
})
