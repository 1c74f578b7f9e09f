// A folder for a test's files.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from './cleanup.ts'

/** Every user may read it; removed after the test. */
export function temporaryFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'))
  chmodSync(folder, 0o755)
  t.after(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
