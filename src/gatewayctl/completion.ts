// `completion`: generates scripts for bash and zsh from the command tree.
import { Argument, type Command } from 'commander'
import { createCommand } from './command.ts'
import type { Context } from './context.ts'

const SHELLS = ['bash', 'zsh'] as const

/** One position on a command line: after these words. */
interface Place {
  /** In the scripts' notation: `/portal/ca`. */
  readonly at: string
  readonly verbs: readonly Command[]
  readonly options: readonly string[]
  /** Options with a value, and its choices; empty if any value is valid. */
  readonly wanting: readonly { readonly option: string; readonly choices: readonly string[] }[]
  /** The choices of an argument. */
  readonly choices: readonly string[]
}

export function printCompletion(context: Context): Command {
  return createCommand(context, 'completion', {
    purpose: 'Prints a script that completes verbs and options in a shell.',
    details: `
bash: put it into ~/.local/share/bash-completion/completions/gatewayctl, or into
/etc/bash_completion.d/. zsh: put it, as _gatewayctl, into a folder of $fpath.`,
    examples: [
      'gatewayctl completion bash > ~/.local/share/bash-completion/completions/gatewayctl',
      'gatewayctl completion zsh > ~/.zsh/completions/_gatewayctl',
    ],
  })
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number], _: unknown, command: Command) => {
      const places = everyPlace(command.parent as Command)
      context.stdout.write(shell === 'bash' ? bashScript(places) : zshScript(places))
    })
}

function everyPlace(command: Command, at = ''): readonly Place[] {
  const options = command.createHelp().visibleOptions(command)
  const here: Place = {
    at,
    verbs: command.commands,
    options: options.flatMap(({ long }) => long ?? []),
    wanting: options.flatMap(({ long, required, argChoices = [] }) =>
      long && required ? [{ option: long, choices: argChoices }] : [],
    ),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }
  return [here, ...command.commands.flatMap((below) => everyPlace(below, `${at}/${below.name()}`))]
}

function bashScript(places: readonly Place[]): string {
  const offer = (words: readonly string[]) => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`
  const files = 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))'
  return `# Completion of gatewayctl for bash.
_gatewayctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${whereItIs(places)}
  done
  case "$at $previous" in
${wantedValues(places, offer, files)}
  esac
  case $at in
${places.map(({ at, verbs, choices, options }) => `    '${at}') ${offer([...verbs.map((verb) => verb.name()), ...choices, ...options])} ;;`).join('\n')}
  esac
}
complete -F _gatewayctl gatewayctl
`
}

function zshScript(places: readonly Place[]): string {
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
${whereItIs(places)}
  done
  case "$at $previous" in
${wantedValues(places, offer, '_files')}
  esac
  case $at in
${places.map(({ at, verbs, choices, options }) => `    '${at}')${verbLines(verbs)}\n      ${offer([...choices, ...options])} ;;`).join('\n')}
  esac
}
# Autoloaded, this file is the function's body; sourced, it only defines it.
if [[ $funcstack[1] == _gatewayctl ]]; then _gatewayctl "$@"; else compdef _gatewayctl gatewayctl; fi
`
}

/** Follows the subcommands; other words are skipped. */
function whereItIs(places: readonly Place[]): string {
  return `    case $at/$word in
${places.flatMap(({ at }) => (at === '' ? [] : [`      '${at}') at=${at} ;;`])).join('\n')}
    esac`
}

function wantedValues(places: readonly Place[], offer: (words: readonly string[]) => string, files: string): string {
  return places
    .flatMap(({ at, wanting }) =>
      wanting.map(
        ({ option, choices }) => `    '${at} ${option}') ${choices.length === 0 ? files : offer(choices)}; return ;;`,
      ),
    )
    .join('\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
