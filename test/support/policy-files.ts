// An operator's policy in files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** Writes these files into a folder that is removed after the test. @returns the portal's settings for them */
export function policyFiles(t: TestContext | undefined, files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = mkdtempSync(join(tmpdir(), 'policy-test-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  t?.after(remove)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const path = join(folder, 'aup.md')
  const env = { GATEWAY_CAPTIVE_AUP_ENABLED: 'true', GATEWAY_CAPTIVE_AUP_PATH: path }
  return { folder, path, env, remove }
}
