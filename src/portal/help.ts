// The portal's `--help`.

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
