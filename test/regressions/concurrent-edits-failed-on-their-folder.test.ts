// Two calls of `gatewayctl portal aup edit` at the same time both found that their folder was missing. The second one to
// create it ended with "…/.gatewayctl cannot be created: EEXIST" instead of saying that another call was at work.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolder } from '../../src/gatewayctl/files/atomic-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('callers that create the same folder at the same time all succeed', async (t) => {
  const folder = join(temporaryFolder(t), 'folder')
  await Promise.all(Array.from({ length: 8 }, () => createFolder(folder, 0o700)))
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
})
