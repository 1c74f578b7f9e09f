// The command line of a job: `CONF FOLDER`, and its options.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Undefined for a usage mistake. */
export function parseJobArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [conf, folder, ...others] = positionals
    return conf === undefined || folder === undefined || others.length > 0 ? undefined : { conf, folder, values }
  } catch {
    return undefined
  }
}

/** @returns the exit status for wrong arguments or settings */
export function misconfigured(message: string): 2 {
  process.stderr.write(message)
  return 2
}
