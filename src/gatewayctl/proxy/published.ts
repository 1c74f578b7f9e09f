// What the engine publishes for the proxy: its CA, and plain lists, one entry per line.
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { readStart } from '../../settings/file.ts'
import { host } from '../../settings/shapes.ts'

export interface Published {
  readonly folder: string
  /** The proxy's CA; otherwise why it is not known here. */
  readonly proxyCa: X509Certificate | string
  /** In Squid's form: `.bank.example` with all below it. Otherwise why they are not known here. */
  readonly exemptHosts: readonly string[] | string
  readonly exemptClients: readonly string[] | string
  /** Addresses and networks that nobody may reach through the proxy. */
  readonly internal: readonly string[] | string
}

const MAXIMUM_BYTES = 4 * 1024 * 1024
const NETWORK = /^[0-9a-f:.]+(\/\d+)?$/i

export function readPublished(folder: string): Published {
  const entries = (name: string, isEntry: (line: string) => boolean): readonly string[] | string => {
    const text = read(join(folder, 'proxy', name))
    if ('missing' in text) return text.missing
    return text.text.split('\n').filter(isEntry)
  }
  return {
    folder,
    proxyCa: readProxyCa(join(folder, 'bump', 'ca.pem')),
    exemptHosts: entries('exempt-hosts', (line) => host.safeParse(line.replace(/^\./, '')).success),
    exemptClients: entries('exempt-clients', (line) => NETWORK.test(line)),
    internal: entries('internal', (line) => NETWORK.test(line)),
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
