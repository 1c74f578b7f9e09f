// A folder that certificates are published in.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CertificateUser,
  type PublishOptions,
  publishCertificates,
} from '../../src/engine/certificates/publish.ts'
import type { Cleanup } from '../support/cleanup.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

const OPTIONS = { organisation: 'Müller "& Söhne" \\ #1', portalHost: 'portal.example', controlNames: [] }

export async function startPublishing(t: Cleanup) {
  const folder = await mkdtemp(join(tmpdir(), 'engine-certificates-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = (name: string) => join(folder, name)
  return {
    folder,
    path,
    read: (name: string) => readFile(path(name), 'utf8'),
    /** Resolves with the control API's certificate. */
    publish: async (options: Partial<PublishOptions> = {}, control?: CertificateUser) =>
      (await publishCertificates({ folder, clock: Date.now, ...OPTIONS, ...options }, control)).controlCertificate,
    /** Resolves with what was done about the proxy's CA. */
    publishProxyCa: async (now = Date.now()) =>
      (await publishCertificates({ folder, ...OPTIONS, clock: () => now })).proxyCa,
  }
}
