// What all verbs have in common: help with examples and exit codes, and mistakes that end with exit code 2.
import { Command } from 'commander'
import { EXIT_CODES } from './failure.ts'
import type { World } from './world.ts'

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
    ['Examples:', ...examples.map((example) => `  ${example}`)].join('\n'),
    EXIT_CODES,
  ]
  return new Command(name)
    .description(purpose)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
      getOutHelpWidth: () => world.stdout.columns || 80,
      getErrHelpWidth: () => world.stderr.columns || 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(--help says more)')
    .helpOption('-h, --help', 'this text')
    .helpCommand(false)
    .addHelpText('after', `\n${parts.join('\n\n')}`)
}

/** A word that only leads to the verbs below it. */
export function group(world: World, name: string, help: VerbHelp, verbs: readonly Command[]): Command {
  const command = verb(world, name, help)
  for (const below of verbs) command.addCommand(below)
  return command
}
