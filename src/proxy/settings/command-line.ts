// The proxy's command line. Its settings are environment variables.
import { parseArgs } from 'node:util'

export const HELP = `Usage: node src/proxy/main.ts [--check | --version | --help]

The proxy: runs Squid, which asks the engine about each request, with what the
engine publishes. Its settings are environment variables, which docs/proxy.md
describes.

  --check    checks everything that a start does: variables and their files,
             Squid, what the engine publishes, its ICAP service, ports; exits
             with 2 if there are problems. Nothing is changed
  --version  prints the version
  --help     prints this text

Examples:
  node src/proxy/main.ts --check
  docker compose --profile gateway run --rm proxy --check
`

/** @throws {TypeError} with the usage mistake as its message */
export function parseCommandLine(args: readonly string[]): 'run' | 'check' | 'version' | 'help' {
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({ args: [...args], options: { check: flag, version: flag, help: flag } })
  if (values.help) return 'help'
  if (values.version) return 'version'
  return values.check ? 'check' : 'run'
}
