// Creates a command with the common parts: help with examples and exit codes, and exit code 2 for misuse.
import { Command } from 'commander'
import type { Context } from './context.ts'
import { EXIT_CODES } from './failure.ts'

const WIDTH = 80

export interface CommandHelp {
  /** One sentence. */
  readonly purpose: string
  /** More help, in lines of at most 80 characters. */
  readonly details?: string
  /** Complete command lines. */
  readonly examples: readonly string[]
}

/** A command, still without options, arguments and action. */
export function createCommand(context: Context, name: string, { purpose, details, examples }: CommandHelp): Command {
  const parts = [
    ...(details === undefined ? [] : [details.trim()]),
    ['Examples:', ...examples.map((example) => folded(`  ${example}`))].join('\n'),
    EXIT_CODES,
  ]
  return new Command(name)
    .description(purpose)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHelpWidth: () => context.stdout.columns || WIDTH,
      getErrHelpWidth: () => context.stderr.columns || WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(see --help)')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', `\n${parts.join('\n\n')}`)
}

/** Lines of at most 80 characters that a shell reads as one; broken before an option, a pipe or a redirection. */
function folded(line: string): string {
  if (line.length <= WIDTH) return line
  const end = /^.{1,78}(?= (?:--|[|>]))/.exec(line)?.[0] ?? line
  return end === line ? line : `${end} \\\n${folded(`     ${line.slice(end.length)}`)}`
}

/** A command that only has subcommands. */
export function createGroup(context: Context, name: string, help: CommandHelp, verbs: readonly Command[]): Command {
  const command = createCommand(context, name, help)
  for (const below of verbs) command.addCommand(below)
  return command
}
