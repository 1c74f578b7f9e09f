// What all verbs have in common: help with examples and exit codes, and mistakes that end with exit code 2.
import { Command } from 'commander'
import type { World } from './context.ts'
import { EXIT_CODES } from './failure.ts'

const WIDTH = 80

export interface VerbHelp {
  /** One sentence. */
  readonly purpose: string
  /** What else there is to know, in lines of at most 80 characters. */
  readonly details?: string
  /** Whole command lines. */
  readonly examples: readonly string[]
}

/** A command without options, arguments or action yet. */
export function verb(world: World, name: string, { purpose, details, examples }: VerbHelp): Command {
  const parts = [
    ...(details === undefined ? [] : [details.trim()]),
    ['Examples:', ...examples.map((example) => folded(`  ${example}`))].join('\n'),
    EXIT_CODES,
  ]
  return new Command(name)
    .description(purpose)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
      getOutHelpWidth: () => world.stdout.columns || WIDTH,
      getErrHelpWidth: () => world.stderr.columns || WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(--help says more)')
    .helpOption('-h, --help', 'this text')
    .helpCommand(false)
    .addHelpText('after', `\n${parts.join('\n\n')}`)
}

/** On lines of at most 80 characters, which a shell takes for one; broken before an option, a pipe or a redirection. */
function folded(line: string): string {
  if (line.length <= WIDTH) return line
  const end = /^.{1,78}(?= (?:--|[|>]))/.exec(line)?.[0] ?? line
  return end === line ? line : `${end} \\\n${folded(`     ${line.slice(end.length)}`)}`
}

/** A word that only leads to the verbs below it. */
export function group(world: World, name: string, help: VerbHelp, verbs: readonly Command[]): Command {
  const command = verb(world, name, help)
  for (const below of verbs) command.addCommand(below)
  return command
}
