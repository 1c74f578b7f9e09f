// What the engine publishes for the proxy, as far as this machine has it: its CA, and settings of the policy.
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { FILES } from '../../published/files.ts'
import type { Published } from '../../published/published.ts'
import { readPublished } from '../../published/read.ts'
import { readStart } from '../../settings/file.ts'

/** What is not known here is why. */
export interface PublishedHere {
  readonly folder: string
  readonly proxyCa: X509Certificate | string
  readonly exemptHosts: Published['exemptHosts'] | string
  readonly exemptClients: Published['exemptClients'] | string
  readonly internal: Published['internal'] | string
}

const MAXIMUM_BYTES = 4 * 1024 * 1024

export function readPublishedHere(folder: string): PublishedHere {
  const reading = readPublished(folder)
  function read<Key extends keyof Published>(key: Key): Published[Key] | string {
    if ('reason' in reading) return reading.reason
    const { name } = FILES[key]
    return reading.missing.includes(name) ? `there is no file ${join(folder, 'proxy', name)}` : reading.published[key]
  }
  return {
    folder,
    proxyCa: readProxyCa(join(folder, 'bump', 'ca.pem')),
    exemptHosts: read('exemptHosts'),
    exemptClients: read('exemptClients'),
    internal: read('internal'),
  }
}

function readProxyCa(path: string): X509Certificate | string {
  const file = read(path)
  if ('missing' in file) return file.missing
  // The file has the key, too.
  const [pem] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(file.text) ?? []
  try {
    return new X509Certificate(pem ?? '')
  } catch {
    return `${path} holds no certificate`
  }
}

/** The file's text, or why there is none. */
export function read(path: string): { readonly text: string } | { readonly missing: string } {
  try {
    const bytes = readStart(path, MAXIMUM_BYTES)
    if (bytes.length > MAXIMUM_BYTES) return { missing: `${path} is larger than 4 MiB` }
    return { text: Buffer.from(bytes).toString() }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { missing: code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${code})` }
  }
}
