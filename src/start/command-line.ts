// The command line of a program whose settings are environment variables.
import { parseArgs } from 'node:util'

/** @throws {TypeError} with the usage mistake as its message */
export function parseCommandLine(args: readonly string[]): 'run' | 'check' | 'version' | 'help' {
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({ args: [...args], options: { check: flag, version: flag, help: flag } })
  if (values.help) return 'help'
  if (values.version) return 'version'
  return values.check ? 'check' : 'run'
}
