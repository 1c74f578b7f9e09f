// Reports why people cannot sign in: names in the operator's file of passwords that nobody can use, and a keytab that has changed.
import { textOrEmpty } from '../../settings/file.ts'
import { kerberosKeys, keytabFault } from './keytab.ts'
import { capitalName, passwordFile } from './password-names.ts'

export interface SignInReport {
  /** The files to watch. */
  readonly files: readonly string[]
  /** Reports each fault, unless it was the last that was reported. */
  check(): void
  /** The content of the keytab, which Squid's helpers read at their start only; undefined without one that is good. */
  keytab(): string | undefined
}

/** @param auth the file of PROXY_AUTH */
export function signInReport(auth: string | undefined, report: (line: string) => void): SignInReport {
  if (auth === undefined) return { files: [], check() {}, keytab: () => undefined }
  const text = textOrEmpty(auth)
  const passwords = passwordFile(text)
  const keys = kerberosKeys(text)
  const faults: (() => string | undefined)[] = []
  // Squid itself reports a file of passwords that cannot be read.
  if (passwords !== undefined) faults.push(() => capitalName(textOrEmpty(passwords), passwords, auth))
  if (keys !== undefined) {
    faults.push(() => {
      const fault = keytabFault(keys)
      return fault && `nobody can sign in by Kerberos: ${auth} names a keytab ${fault}`
    })
  }
  const reported = faults.map((): string | undefined => undefined)
  return {
    files: [passwords ?? [], keys?.keytab ?? []].flat(),
    check() {
      for (const [index, fault] of faults.entries()) {
        const found = fault()
        if (found !== undefined && found !== reported[index]) report(found)
        reported[index] = found
      }
    },
    keytab: () => (keys === undefined || keytabFault(keys) ? undefined : textOrEmpty(keys.keytab, 'latin1')),
  }
}
