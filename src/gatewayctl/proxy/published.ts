// What the engine publishes for the proxy, as far as this machine has it: its CA, and settings of the policy.
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { FILES } from '../../published/files.ts'
import type { Published } from '../../published/published.ts'
import { readPublished } from '../../published/read.ts'
import { readStart } from '../../settings/file.ts'
import type { Unknown } from '../unknown.ts'

export interface PublishedHere {
  readonly proxyCa: X509Certificate | Unknown
  readonly exemptHosts: Published['exemptHosts'] | Unknown
  readonly internal: Published['internal'] | Unknown
}

const MAXIMUM_BYTES = 4 * 1024 * 1024

export function readPublishedHere(folder: string): PublishedHere {
  const reading = readPublished(folder)
  function published<Key extends keyof Published>(key: Key): Published[Key] | Unknown {
    if ('reason' in reading) return reading
    const { name } = FILES[key]
    if (reading.missing.includes(name)) return { reason: `there is no file ${join(folder, 'proxy', name)}` }
    return reading.published[key]
  }
  return {
    proxyCa: readProxyCa(join(folder, 'bump', 'ca.pem')),
    exemptHosts: published('exemptHosts'),
    internal: published('internal'),
  }
}

function readProxyCa(path: string): X509Certificate | Unknown {
  const file = readText(path)
  if ('reason' in file) return file
  // The file has the key, too.
  const [pem] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(file.text) ?? []
  try {
    return new X509Certificate(pem ?? '')
  } catch {
    return { reason: `${path} holds no certificate` }
  }
}

export function readText(path: string): { readonly text: string } | Unknown {
  try {
    const bytes = readStart(path, MAXIMUM_BYTES)
    if (bytes.length > MAXIMUM_BYTES) return { reason: `${path} is larger than 4 MiB` }
    return { text: Buffer.from(bytes).toString() }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { reason: code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${code})` }
  }
}
