// A portal with a folder in which the test publishes CA files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { NOW, type PortalOptions, type RunningPortal, startPortal } from '../../support/portal.ts'

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
  const folder = mkdtempSync(join(tmpdir(), 'published-ca-'))
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
  t.after(() => rmSync(folder, { recursive: true }))
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

export interface Downloaded {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly bytes: Buffer
}

/** As `exchange`, but the body is a Buffer. */
export function download(
  { port }: Pick<RunningPortal, 'port'>,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Downloaded> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path: target, headers, agent: false })
    outgoing.on('error', reject)
    outgoing.on('response', async (response) => {
      const chunks: Buffer[] = await response.toArray()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) })
    })
    outgoing.end()
  })
}
