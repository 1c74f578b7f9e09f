// What Squid's configuration is made of, besides the settings. It changes while Squid runs.
import { join } from 'node:path'
import type { Published } from '../published/published.ts'
import { readPublished } from '../published/read.ts'
import { textOrEmpty } from '../settings/file.ts'
import type { Machine } from './machine.ts'
import type { ProxySettings } from './settings/settings.ts'

export interface Inputs {
  readonly published: Published
  readonly machine: Machine
  /** CAs that verify an `icaps://` service, PEM. */
  readonly icapAuthorities: string
}

/** @returns why what is published is not valid */
export type ReadInputs = (machine: Machine) => Inputs | { readonly reason: string }

export interface InputsOptions {
  readonly settings: Pick<ProxySettings, 'published' | 'originCa'>
  readonly report: (line: string) => void
}

/** @returns a function that reports each missing file once */
export function inputsReader({ settings, report }: InputsOptions): ReadInputs {
  const reported = new Set<string>()
  return (machine) => {
    const reading = readPublished(settings.published)
    if ('reason' in reading) return reading
    for (const name of reading.missing) {
      const path = join(settings.published, 'proxy', name)
      if (!reported.has(path))
        report(`${path} is missing, and is treated as empty: the engine is older than this proxy`)
      reported.add(path)
    }
    return { published: reading.published, machine, icapAuthorities: readIcapAuthorities(settings) }
  }
}

/** The engine's root, the next one once a rotation is announced, and the operator's CAs. */
export function readIcapAuthorities({ published, originCa }: InputsOptions['settings']): string {
  const files = [join(published, 'ca', 'ca.crt'), join(published, 'ca', 'ca-next.crt'), originCa]
  return files.map((file) => (file === undefined ? '' : textOrEmpty(file))).join('')
}

/** Has the certificate and the key of the CA that Squid signs with, PEM. @param published the folder */
export function interceptionCaFile(published: string): string {
  return join(published, 'bump', 'ca.pem')
}

/** Empty if it cannot be read. @param published the folder */
export function interceptionCa(published: string): string {
  return textOrEmpty(interceptionCaFile(published))
}
