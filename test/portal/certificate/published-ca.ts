// A portal with a folder in which the test publishes CA files.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { NOW, type PortalOptions, type RunningPortal, startPortal } from '../../support/portal.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export const DAY = 86_400
export const YEAR = { notBefore: NOW - DAY, notAfter: NOW + 365 * DAY }
export const OVER_HTTP = { 'X-Forwarded-Proto': 'http' }

export interface PublishingPortal {
  readonly portal: RunningPortal
  readonly path: string
  readonly nextPath: string
  /** Writes the file, and makes the portal refresh. */
  publish(content: string | Buffer, path?: string): Promise<void>
}

/** @param content of the initial CA file, if any */
export async function startPublishing(
  t: TestContext,
  content?: string | Buffer,
  env: PortalOptions['env'] = {},
): Promise<PublishingPortal> {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ca.crt')
  if (content !== undefined) writeFileSync(path, content)
  const portal = await startPortal(t, {
    env: {
      GATEWAY_CAPTIVE_CA_PATH: path,
      GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example',
      GATEWAY_CAPTIVE_HOSTNAME: 'portal.example',
      ...env,
    },
  })
  return {
    portal,
    path,
    nextPath: join(folder, 'ca-next.crt'),
    async publish(content, where = path) {
      writeFileSync(where, content)
      await portal.certificates.refresh()
    },
  }
}
