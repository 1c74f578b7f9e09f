// Reports the first name in the operator's file of passwords that nobody can sign in with.
import { readFileSync } from 'node:fs'
import { capitalName, passwordFile } from './password-names.ts'

export interface PasswordReport {
  /** The files to watch. */
  readonly files: readonly string[]
  /** Reports such a name, unless it was the last that was reported. */
  check(): void
}

/** @param auth the file of PROXY_AUTH */
export function passwordReport(auth: string | undefined, report: (line: string) => void): PasswordReport {
  const file = auth === undefined ? undefined : passwordFile(textOf(auth))
  if (auth === undefined || file === undefined) return { files: [], check() {} }
  let reported: string | undefined
  return {
    files: [file],
    check() {
      const found = capitalName(textOf(file), file, auth)
      if (found !== undefined && found !== reported) report(found)
      reported = found
    },
  }
}

/** Squid reports a file that cannot be read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
