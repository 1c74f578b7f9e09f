// `completion`: generates scripts for bash and zsh from the command tree.
import { Argument, type Command } from 'commander'
import { createCommand } from './command.ts'
import type { Context } from './context.ts'

const SHELLS = ['bash', 'zsh'] as const

/** One position on a command line: after these words. */
interface Position {
  /** In the scripts' notation: `/portal/ca`. */
  readonly at: string
  readonly verbs: readonly Command[]
  readonly options: readonly string[]
  /** Options with a value, and its choices; empty if any value is valid. */
  readonly wanting: readonly { readonly option: string; readonly choices: readonly string[] }[]
  /** The choices of an argument. */
  readonly choices: readonly string[]
}

export function completionCommand(context: Context): Command {
  return createCommand(context, 'completion', {
    purpose: 'Prints a script that completes verbs and options in a shell.',
    details: `
For bash, save it as ~/.local/share/bash-completion/completions/gatewayctl, or
in /etc/bash_completion.d/; for zsh, as _gatewayctl in a folder of $fpath.`,
    examples: [
      'gatewayctl completion bash > ~/.local/share/bash-completion/completions/gatewayctl',
      'gatewayctl completion zsh > ~/.zsh/completions/_gatewayctl',
    ],
  })
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number], _: unknown, command: Command) => {
      const positions = allPositions(command.parent as Command)
      context.stdout.write(shell === 'bash' ? bashScript(positions) : zshScript(positions))
    })
}

function allPositions(command: Command, at = ''): readonly Position[] {
  const options = command.createHelp().visibleOptions(command)
  const here: Position = {
    at,
    verbs: command.commands,
    options: options.flatMap(({ long }) => long ?? []),
    wanting: options.flatMap(({ long, required, argChoices = [] }) =>
      long && required ? [{ option: long, choices: argChoices }] : [],
    ),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }
  return [here, ...command.commands.flatMap((below) => allPositions(below, `${at}/${below.name()}`))]
}

function bashScript(positions: readonly Position[]): string {
  const offer = (words: readonly string[]) => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`
  const files = 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))'
  return `# Completion of gatewayctl for bash.
_gatewayctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${findPosition(positions)}
  done
  case "$at $previous" in
${optionValues(positions, offer, files)}
  esac
  case $at in
${positions.map(({ at, verbs, choices, options }) => `    '${at}') ${offer([...verbs.map((verb) => verb.name()), ...choices, ...options])} ;;`).join('\n')}
  esac
}
complete -F _gatewayctl gatewayctl
`
}

function zshScript(positions: readonly Position[]): string {
  const offer = (words: readonly string[]) => `compadd -- ${words.join(' ')}`
  const verbLines = (verbs: readonly Command[]) =>
    verbs.length === 0
      ? ''
      : `\n      verbs=(${verbs.map((verb) => quoted(`${verb.name()}:${verb.description()}`)).join(' ')})\n      _describe verb verbs`
  return `#compdef gatewayctl
# Completion of gatewayctl for zsh.
_gatewayctl() {
  local previous=\${words[CURRENT-1]} at= word
  local -a verbs
  for word in "\${(@)words[2,CURRENT-1]}"; do
${findPosition(positions)}
  done
  case "$at $previous" in
${optionValues(positions, offer, '_files')}
  esac
  case $at in
${positions.map(({ at, verbs, choices, options }) => `    '${at}')${verbLines(verbs)}\n      ${offer([...choices, ...options])} ;;`).join('\n')}
  esac
}
# Autoloaded, this file is the function's body; sourced, it only defines it.
if [[ $funcstack[1] == _gatewayctl ]]; then _gatewayctl "$@"; else compdef _gatewayctl gatewayctl; fi
`
}

/** Follows the subcommands; other words are skipped. */
function findPosition(positions: readonly Position[]): string {
  return `    case $at/$word in
${positions.flatMap(({ at }) => (at === '' ? [] : [`      '${at}') at=${at} ;;`])).join('\n')}
    esac`
}

function optionValues(
  positions: readonly Position[],
  offer: (words: readonly string[]) => string,
  files: string,
): string {
  return positions
    .flatMap(({ at, wanting }) =>
      wanting.map(
        ({ option, choices }) => `    '${at} ${option}') ${choices.length === 0 ? files : offer(choices)}; return ;;`,
      ),
    )
    .join('\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
