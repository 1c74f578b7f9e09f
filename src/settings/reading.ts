// Reads the environment: finds each variable's text under its name, short name or in its file, and collects all
// problems and warnings, without secrets.
import { type ReadFile, readSecretFile, readStartOrFault } from './file.ts'
import { problemList } from './problems.ts'
import { shown, shownPath } from './shown.ts'
import type { Variable } from './variable.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Reading {
  /** The text of a variable without the white space around it; undefined when it is unset. */
  text(name: string, variable: Variable): string | undefined
  /** Records that a variable breaks a rule ("must …"). Only the first problem of a variable is kept. */
  problem(name: string, rule: string): void
  warn(warning: string): void
  /** Up to 64 KiB of a file and one more byte, or the rule that it breaks. */
  file(path: string): { readonly bytes?: Uint8Array; readonly fault?: string }
  problems(): readonly string[]
  warnings(): readonly string[]
}

export function startReading(env: Environment, readFile: ReadFile): Reading {
  /** For problems: the name under which each variable was set, and what it is now. */
  const found = new Map<string, { readonly name: string; readonly now: string }>()
  const problems = problemList()
  const warnings: string[] = []

  const textUnlessEmpty = (name: string) => env[name]?.trim() || undefined

  function problem(name: string, rule: string): void {
    const as = found.get(name) ?? { name, now: 'unset' }
    problems.add(as.name, rule, `it is now ${as.now}`)
  }

  function plainText(name: string, { empty, shortName, default: fallback }: Variable): string | undefined {
    const text = empty === undefined ? textUnlessEmpty(name) : env[name]?.trim()
    if (text !== undefined) {
      found.set(name, { name, now: shown(text) })
      return text
    }
    const shortText = shortName === undefined ? undefined : textUnlessEmpty(shortName)
    if (shortName !== undefined && shortText !== undefined) found.set(name, { name: shortName, now: shown(shortText) })
    else if (fallback !== undefined) found.set(name, { name, now: `unset, which means ${shown(fallback)}` })
    return shortText
  }

  function secretText(name: string): string | undefined {
    const text = textUnlessEmpty(name)
    const fileName = `${name}_FILE`
    const path = textUnlessEmpty(fileName)
    if (text !== undefined) found.set(name, { name, now: 'a value that is not shown' })
    if (path === undefined) return text
    if (text !== undefined) {
      problem(name, `must not be set together with ${fileName}`)
      return undefined
    }
    const file = readSecretFile(path, readFile)
    const now = shownPath(path)
    found.set(name, { name: fileName, now })
    if (file.fault !== undefined) problem(name, file.fault)
    else found.set(name, { name: `${fileName}: the content of ${now}`, now: 'a value that is not shown' })
    return file.text
  }

  return {
    text: (name, variable) => (variable.secret ? secretText(name) : plainText(name, variable)),
    problem,
    warn: (warning) => warnings.push(warning),
    file: (path) => readStartOrFault(path, readFile),
    problems: problems.lines,
    warnings: () => warnings,
  }
}
