// Reports the first name in the operator's file of passwords that nobody can sign in with.
import { textOrEmpty } from '../../settings/file.ts'
import { capitalName, passwordFile } from './password-names.ts'

export interface PasswordReport {
  /** The files to watch. */
  readonly files: readonly string[]
  /** Reports such a name, unless it was the last that was reported. */
  check(): void
}

/** @param auth the file of PROXY_AUTH */
export function passwordReport(auth: string | undefined, report: (line: string) => void): PasswordReport {
  const file = auth === undefined ? undefined : passwordFile(textOrEmpty(auth))
  if (auth === undefined || file === undefined) return { files: [], check() {} }
  let reported: string | undefined
  return {
    files: [file],
    check() {
      // Squid itself reports one that cannot be read.
      const found = capitalName(textOrEmpty(file), file, auth)
      if (found !== undefined && found !== reported) report(found)
      reported = found
    },
  }
}
