// A published certificate whose expiry was not a date was offered as one that never expires, and its page failed with
// status 500, because there was no date to show. OpenSSL accepts such a certificate. Since the first version; found by
// fuzzing.
import assert from 'node:assert/strict'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { certificateDownload } from '../../src/certificate/downloads.ts'
import { sampleCertificate } from '../../src/portal/preview/sample-certificates.ts'
import { temporaryFolder } from '../support/databases.ts'
import { startPortal } from '../support/portal.ts'

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
