// The offered certificate while the engine, or another program, changes the published files.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Found, type PublishedCertificates, publishedCertificates, watch } from '../../src/certificate/watch.ts'
import { fingerprint, type MadeCertificate, makeCertificate, replaceFile } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NOW = 1_800_000_000
const DAY = 86_400
const GRACE_PERIOD = 10

interface Watched {
  readonly certificates: PublishedCertificates
  readonly path: string
  readonly nextPath: string
  /** The log entries, the newest last. */
  readonly changes: [path: string, found: Found][]
  setTime(seconds: number): void
  /** Writes the file in place, and refreshes. */
  publish(content: string | Buffer): Promise<void>
  /** The fingerprint of the offered certificate, if any. */
  offered(): string | undefined
}

describe('the published certificate', { skip: skipWithoutOpenssl }, () => {
  let one: MadeCertificate
  let other: MadeCertificate
  let leaf: MadeCertificate
  before(() => {
    const year = { notBefore: NOW - DAY, notAfter: NOW + 365 * DAY }
    one = makeCertificate(year)
    other = makeCertificate({ ...year, subject: '/CN=Another CA' })
    leaf = makeCertificate({ ...year, issuer: one, extensions: ['basicConstraints=CA:FALSE'] })
  })

  async function watching(t: TestContext, content?: string | Buffer): Promise<Watched> {
    const folder = temporaryFolder(t)
    const path = join(folder, 'ca.crt')
    if (content !== undefined) writeFileSync(path, content)
    const changes: Watched['changes'] = []
    let now = NOW
    const certificates = publishedCertificates({
      path,
      clock: () => now * 1000,
      onChange: (...change) => void changes.push(change),
    })
    await certificates.refresh()
    return {
      certificates,
      path,
      nextPath: join(folder, 'ca-next.crt'),
      changes,
      setTime: (seconds) => {
        now = seconds
      },
      async publish(content) {
        writeFileSync(path, content)
        await certificates.refresh()
      },
      offered: () => certificates.current()?.certificate.sha256,
    }
  }

  const fingerprints = new Map<string, string>()
  const shown = ({ certificate }: MadeCertificate) => {
    const known = fingerprints.get(certificate) ?? fingerprint(certificate, 'sha256', 'pem')
    fingerprints.set(certificate, known)
    return known
  }

  test('is offered from the start until it expires, disappears and reappears', async (t) => {
    const watched = await watching(t, one.certificate)
    assert.equal(watched.offered(), shown(one))
    rmSync(watched.path)
    await watched.certificates.refresh()
    assert.equal(watched.certificates.current(), undefined)
    await watched.publish(one.certificate)
    watched.setTime(NOW + 365 * DAY - 1)
    assert.equal(watched.offered(), shown(one))
    watched.setTime(NOW + 365 * DAY)
    assert.equal(watched.certificates.current(), undefined)
  })

  test('is replaced by a rename, a write in place, or a change of the folder behind a link', async (t) => {
    const watched = await watching(t, one.certificate)
    replaceFile(watched.path, other.certificate)
    await watched.certificates.refresh()
    assert.equal(watched.offered(), shown(other))
    await watched.publish(one.certificate)
    assert.equal(watched.offered(), shown(one))

    // Like a secret in Kubernetes: a link to a link, which is replaced.
    const folder = join(watched.path, '..')
    for (const [name, { certificate }] of [
      ['v1', one],
      ['v2', other],
    ] as const) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'ca.crt'), certificate)
    }
    symlinkSync('v1', join(folder, '..data'))
    rmSync(watched.path)
    symlinkSync('..data/ca.crt', watched.path)
    await watched.certificates.refresh()
    assert.equal(watched.offered(), shown(one))
    symlinkSync('v2', join(folder, '..data-new'))
    renameSync(join(folder, '..data-new'), join(folder, '..data'))
    await watched.certificates.refresh()
    assert.equal(watched.offered(), shown(other))
  })

  test('stays for ten seconds while the file cannot be used, and no longer', async (t) => {
    const cases: readonly (string | Buffer)[] = [
      '',
      one.certificate.slice(0, 300),
      leaf.certificate,
      one.certificate + other.certificate,
      other.certificate.padEnd(256 * 1024 + 1),
    ]
    for (const content of cases) {
      const watched = await watching(t, one.certificate)
      await watched.publish(content)
      watched.setTime(NOW + GRACE_PERIOD - 1)
      assert.equal(watched.offered(), shown(one))
      // Another fault does not restart the grace period.
      await watched.publish('other garbage')
      assert.equal(watched.offered(), shown(one))
      watched.setTime(NOW + GRACE_PERIOD)
      assert.equal(watched.certificates.current(), undefined)
      await watched.publish(other.certificate)
      assert.equal(watched.offered(), shown(other))
      // A later fault is.
      await watched.publish(content)
      watched.setTime(NOW + 2 * GRACE_PERIOD - 1)
      assert.equal(watched.offered(), shown(other))
    }
  })

  test('is found in a file of the maximum size', async (t) => {
    const full = Buffer.alloc(256 * 1024, ' ')
    full.write(one.certificate)
    assert.equal((await watching(t, full)).offered(), shown(one))
  })

  test('an expired one is dropped immediately, and not replaced by its predecessor', async (t) => {
    const expired = makeCertificate({ notBefore: NOW - 2 * DAY, notAfter: NOW })
    const watched = await watching(t, one.certificate)
    await watched.publish(expired.certificate)
    assert.equal(watched.certificates.current(), undefined)
    await watched.publish('garbage')
    assert.equal(watched.certificates.current(), undefined)
  })

  test('a directory, a pipe, an unreadable file: undefined, without blocking', async (t) => {
    const watched = await watching(t, one.certificate)
    const found = async () => {
      await watched.certificates.refresh()
      return watched.changes.at(-1)?.[1]
    }
    for (const make of [
      () => mkdirSync(watched.path),
      () => execFileSync('mkfifo', [watched.path]),
      () => symlinkSync('/dev/zero', watched.path),
      () => symlinkSync(watched.path, watched.path),
    ]) {
      rmSync(watched.path, { recursive: true, force: true })
      assert.equal(await found(), 'missing')
      make()
      assert.match(JSON.stringify(await found()), /"unusable":"it (is not a regular|cannot be read)/)
    }
    rmSync(watched.path)
    writeFileSync(watched.path, one.certificate)
    chmodSync(watched.path, 0)
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    try {
      assert.deepEqual(await found(), { unusable: 'it cannot be read (EACCES)' })
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  })

  test('the next certificate is offered while it differs and is valid', async (t) => {
    const watched = await watching(t, one.certificate)
    const next = () => watched.certificates.current()?.next?.sha256
    assert.equal(next(), undefined)
    const toCome = makeCertificate({ notBefore: NOW + DAY, notAfter: NOW + 500 * DAY })
    writeFileSync(watched.nextPath, toCome.certificate + toCome.key)
    await watched.certificates.refresh()
    assert.equal(next(), shown(toCome))
    assert.equal(watched.offered(), shown(one))
    // The rotation: it becomes the certificate, and its own file stays behind.
    replaceFile(watched.path, toCome.certificate)
    await watched.certificates.refresh()
    assert.equal(watched.offered(), shown(toCome))
    assert.equal(next(), undefined)
    // No next certificate without a current one.
    rmSync(watched.path)
    await watched.certificates.refresh()
    assert.equal(watched.certificates.current(), undefined)
    writeFileSync(watched.path, one.certificate)
    truncateSync(watched.nextPath)
    await watched.certificates.refresh()
    assert.equal(next(), shown(toCome))
    watched.setTime(NOW + GRACE_PERIOD)
    assert.equal(next(), undefined)
    assert.equal(watched.offered(), shown(one))
  })

  test('each change is reported once, with its reason and none of the file’s content', async (t) => {
    const watched = await watching(t)
    await watched.publish(one.certificate)
    await watched.publish(one.key)
    rmSync(watched.path)
    await watched.certificates.refresh()
    const told = watched.changes.map(([path, found]) => [
      path,
      typeof found === 'object' && 'der' in found ? found.sha256 : found,
    ])
    assert.deepEqual(told, [
      [watched.path, shown(one)],
      [watched.path, { unusable: 'it holds no CA certificate' }],
      [watched.path, 'missing'],
    ])
  })

  test('is refreshed every second, until stopped', async (t) => {
    const watched = await watching(t)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let refreshes = 0
    let refreshed = Promise.withResolvers<void>()
    const refresh = async () => {
      refreshes++
      await watched.certificates.refresh()
      refreshed.resolve()
    }
    const stop = await watch({ ...watched.certificates, refresh })
    refreshed = Promise.withResolvers()
    writeFileSync(watched.path, one.certificate)
    t.mock.timers.tick(999)
    assert.equal(refreshes, 1)
    t.mock.timers.tick(1)
    await refreshed.promise
    assert.equal(watched.offered(), shown(one))
    // The next timer is set.
    await setImmediate()
    stop()
    t.mock.timers.tick(5_000)
    assert.equal(refreshes, 2)
  })
})
