// E2Guardian as Debian configures it, with one list of hosts, decryption, and without logs and searches in pages.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openssl } from '../../test/support/certificates.ts'
import { findProgram } from './programs.ts'
import type { Settings } from './proxy.ts'

const INSTALLED = '/etc/e2guardian'

export function hasE2guardian(): boolean {
  return findProgram(/^e2guardian$/) !== undefined && existsSync(INSTALLED)
}

/** Whether it decrypts itself, or decides for a Squid that decrypts. */
export type E2guardianMode = 'proxy' | 'icap'

/** Writes its files. @returns the path of its configuration */
export function configureE2guardian(
  { ca }: Settings,
  folder: string,
  list: string,
  port: number,
  mode: E2guardianMode,
): string {
  const configured = join(folder, 'e2guardian')
  cpSync(INSTALLED, configured, { recursive: true })
  const certificates = join(folder, 'certificates')
  mkdirSync(certificates)
  const files = {
    cacertificatepath: join(certificates, 'ca.pem'),
    caprivatekeypath: join(certificates, 'ca.key'),
    certprivatekeypath: join(certificates, 'leaf.key'),
    generatedcertpath: `${join(certificates, 'generated')}/`,
  }
  mkdirSync(files.generatedcertpath)
  writeFileSync(files.cacertificatepath, ca.certificate)
  writeFileSync(files.caprivatekeypath, ca.key)
  writeFileSync(files.certprivatekeypath, openssl(['genrsa', '2048']))
  // It drops root privileges.
  for (const path of [folder, certificates, files.generatedcertpath]) chmodSync(path, 0o777)
  for (const path of [files.caprivatekeypath, files.certprivatekeypath]) chmodSync(path, 0o644)
  const main = join(configured, 'e2guardian.conf')
  const yesterday = `${Math.floor(Date.now() / 1000) - 86_400}`
  change(main, {
    ...(mode === 'icap' ? { icapport: `${port}`, filterports: `${port + 1}` } : { filterports: `${port}` }),
    transparenthttpsport: `${port + 2}`,
    ...{ filterip: '127.0.0.1', pidfilename: join(folder, 'pid') },
    ...{ loglevel: '0', nologger: 'on', loglocation: join(folder, 'access.log') },
    ...{ weightedphrasemode: '0', filecachedir: folder },
    ...{ enablessl: 'on', generatedcertstart: yesterday, ...files },
  })
  const group = join(configured, 'e2guardianf1.conf')
  // A redirect, as the gateway's.
  change(group, { sslmitm: 'on', reportinglevel: '2', accessdeniedaddress: 'https://portal.example/blocked' })
  writeFileSync(group, readFileSync(group, 'utf8').replace(`${configured}/lists/bannedsitelist`, list))
  return main
}

/** Sets keys, and lets all paths point to the copy. */
function change(file: string, values: Readonly<Record<string, string>>): void {
  let text = readFileSync(file, 'utf8').replaceAll(`${INSTALLED}/`, `${join(file, '..')}/`)
  for (const [key, value] of Object.entries(values)) {
    const line = new RegExp(`^#? ?${key} ?=.*$`, 'm')
    if (!line.test(text)) throw new Error(`${file} has no ${key}`)
    text = text.replace(line, `${key} = '${value}'`)
  }
  writeFileSync(file, text)
}
