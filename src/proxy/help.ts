// The proxy's `--help`.

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
