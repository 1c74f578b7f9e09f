// Every minute the engine reads what it has published. Where a key or a certificate was replaced by a pipe, the read never
// ended: after four minutes all of Node's threads for files were blocked, and with them the detection of changes to the
// policy, without a line in the log. Only files are read now; anything else is an error that is logged.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishCertificates } from '../../src/engine/certificates/publish.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FILES = ['terminator/portal.key', 'terminator/portal.crt', 'ca/ca.crt', 'engine/ca.key', 'ca/ca-next.crt']

for (const file of FILES) {
  test(`a pipe in place of ${file} is named`, async (t) => {
    const options = { organisation: 'Test', portalHost: 'portal.example', controlNames: [], clock: Date.now }
    const folder = temporaryFolder(t)
    await publishCertificates({ ...options, folder })
    const path = join(folder, file)
    rmSync(path, { force: true })
    execFileSync('mkfifo', [path])
    try {
      const publishing = publishCertificates({ ...options, folder })
      const outcome = Promise.race([publishing, sleep(2_000, undefined, { ref: false })])
      await assert.rejects(outcome, { message: `${path} is not a file` })
    } finally {
      // Ends a read that is blocked.
      closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK))
    }
  })
}

test('control: a pipe in place of the pair of the control API is replaced', async (t) => {
  const options = { organisation: 'Test', portalHost: 'portal.example', controlNames: [], clock: Date.now }
  const folder = temporaryFolder(t)
  await publishCertificates({ ...options, folder })
  const path = join(folder, 'control/control.pem')
  rmSync(path)
  execFileSync('mkfifo', [path])
  assert.ok((await publishCertificates({ ...options, folder })).controlCertificate)
})
