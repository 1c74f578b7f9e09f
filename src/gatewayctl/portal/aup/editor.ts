// The operator's editor: $VISUAL, $EDITOR, or one that is there.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { type EndSignal, end, handlingSignals } from '../../signals.ts'

const FALLBACKS = ['nano', 'vi']

/** Whether the operator has named one. */
export const hasEditor = ({ env }: Context): boolean => Boolean(env.VISUAL?.trim() || env.EDITOR?.trim())

/** Opens the file, and waits until the editor has ended. @throws {Failure} when it did not end well */
export async function edit({ env }: Context, path: string): Promise<void> {
  const [program = '', ...args] = words(env.VISUAL?.trim() || env.EDITOR?.trim() || fallback(env.PATH))
  // Ctrl-C in the editor reaches gatewayctl as well, and is meant for the editor.
  const handle = (signal: EndSignal) => {
    if (signal !== 'SIGINT') end(signal)
  }
  const status = await handlingSignals(handle, () => run(program, [...args, path], env))
  if (status !== 0) throw new Failure(`the editor ${program} ended with ${status}; nothing was changed`)
}

function run(program: string, args: readonly string[], env: Context['env']): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const editor = spawn(program, args, { stdio: 'inherit', env })
    editor.once('error', (error) => reject(new Failure(`the editor ${program} cannot be run: ${error.message}`)))
    editor.once('close', (code, signal) => resolve(code ?? `${signal}`))
  })
}

function fallback(path = ''): string {
  const found = FALLBACKS.find((name) => path.split(':').some((folder) => existsSync(join(folder, name))))
  if (found === undefined) throw new Failure('there is no editor: set $VISUAL or $EDITOR, or use --file')
  return found
}

/** A command as a shell would split it; nothing else of a shell is done. */
function words(command: string): readonly string[] {
  if (existsSync(command)) return [command]
  return Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}
