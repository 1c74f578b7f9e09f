// A file that was overwritten between two read calls yielded the beginning of one certificate and the end of another.
// With the cut between the names of issuer and subject, it looked like a CA signed by another CA, which the portal
// cannot verify; it was offered for installation until the next check.
import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseCaCertificate } from '../../src/certificate/ca-certificate.ts'
import { publishedCertificates } from '../../src/certificate/watch.ts'
import { makeCertificate } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DAY = 86_400
const NOW = 1_800_000_000

test('nothing is offered from a file that changes while it is read', { skip: skipWithoutOpenssl }, async (t) => {
  const { one, other, cut } = certificatesThatJoin()
  const folder = temporaryFolder(t)
  const path = join(folder, 'ca.crt')
  const offered = new Set<string | undefined>()
  t.after(slowFiles())
  for (let round = 0; round < 60; round++) {
    writeFileSync(path, one.slice(0, cut))
    const certificates = publishedCertificates({ path, clock: () => NOW * 1000 })
    const looked = certificates.refresh()
    await pause(round % 20)
    writeFileSync(path, other)
    await looked
    offered.add(certificates.current()?.certificate.sha256)
  }
  offered.delete(undefined)
  offered.delete(sha256(other))
  assert.deepEqual(offered, new Set())
})

/** @returns two certificates, and where to cut the first so that the rest of the second completes it */
function certificatesThatJoin() {
  const year = { notBefore: NOW - DAY, notAfter: NOW + 365 * DAY }
  const one = makeCertificate({ ...year, subject: '/CN=CA number 1' }).certificate
  for (;;) {
    const other = makeCertificate({ ...year, subject: '/CN=CA number 2' }).certificate
    const known = [undefined, sha256(one), sha256(other)]
    const cut = Array.from(one, (_, at) => at).find((at) => !known.includes(sha256(one.slice(0, at) + other.slice(at))))
    if (cut !== undefined) return { one, other, cut }
  }
}

function sha256(file: string): string | undefined {
  const found = parseCaCertificate(Buffer.from(file))
  return 'sha256' in found ? found.sha256 : undefined
}

/** Keeps the threads that read files busy, so that some milliseconds pass between two calls. */
function slowFiles(): () => void {
  let isStopped = false
  const work = () => {
    if (!isStopped) pbkdf2('', '', 2000, 32, 'sha256', work)
  }
  for (let thread = 0; thread < 8; thread++) work()
  return () => {
    isStopped = true
  }
}
