// A published certificate whose expiry was not a date was offered as one that never expires, and its page failed with
// status 500, because there was no date to show. OpenSSL accepts such a certificate. Since the first version; found by
// fuzzing.
// Later, it was still offered now and then: for what is not a date, Node 26's `validToDate` may hold any date, from memory
// that was never set.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseCaCertificate } from '../../src/certificate/ca-certificate.ts'
import { certificateDownload } from '../../src/certificate/downloads.ts'
import { sampleCertificate } from '../../src/portal/preview/sample-certificates.ts'
import { startPortal } from '../support/portal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const WITHOUT_END = new URL('fuzz/certificate/2984c817d374', import.meta.url)

test('a certificate without dates is ignored, and one with dates is offered', async (t) => {
  const path = join(temporaryFolder(t), 'ca.crt')
  const portal = await startPortal(t, { env: { GATEWAY_CAPTIVE_CA_PATH: path } })
  const statuses = async () => {
    await portal.certificates.refresh()
    return await Promise.all(['/ca', '/ca.crt'].map(async (target) => (await portal.get(target)).status))
  }
  copyFileSync(WITHOUT_END, path)
  assert.deepEqual(await statuses(), [404, 404])
  writeFileSync(path, certificateDownload(sampleCertificate, 'crt', '').bytes)
  assert.deepEqual(await statuses(), [200, 200])
})

test('a certificate without dates is never usable, whatever was parsed before', () => {
  const [without, sample] = [readFileSync(WITHOUT_END), sampleCertificate.der]
  for (let i = 0; i < 2_000; i++) {
    if (i % 3 === 0) parseCaCertificate(sample)
    assert.ok('unusable' in parseCaCertificate(without), `usable the ${i + 1}th time`)
  }
})
