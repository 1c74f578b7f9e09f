// The portal's command line. Its settings are environment variables.
import { parseArgs } from 'node:util'

export const HELP = `Usage: node src/portal/main.ts [--check | --version | --help]

The captive portal. Its settings are environment variables, which
docs/configuration.md describes.

  --check    checks everything that a start does: variables, the operator's
             policy, ledger, engine, ports; exits with 2 if there are problems.
             Nothing is changed
  --version  prints the version
  --help     prints this text

Examples:
  node src/portal/main.ts --check
  docker compose run --rm portal --check
`

/** @throws {TypeError} with the usage mistake as its message */
export function parseCommandLine(args: readonly string[]): 'run' | 'check' | 'version' | 'help' {
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({ args: [...args], options: { check: flag, version: flag, help: flag } })
  if (values.help) return 'help'
  if (values.version) return 'version'
  return values.check ? 'check' : 'run'
}
