// Runs the operator's editor: $VISUAL, $EDITOR, or an installed one.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { type EndSignal, end, handlingSignals } from '../../signals.ts'

const FALLBACKS = ['nano', 'vi']

/** Whether $VISUAL or $EDITOR is set. */
export const hasEditor = ({ env }: Context): boolean => Boolean(env.VISUAL?.trim() || env.EDITOR?.trim())

/** Opens the file and waits for the editor to exit. @throws {Failure} when it fails */
export async function edit({ env }: Context, path: string): Promise<void> {
  const [program = '', ...args] = words(env.VISUAL?.trim() || env.EDITOR?.trim() || fallback(env.PATH))
  // The terminal sends Ctrl-C to gatewayctl, too, but it is meant for the editor.
  const handle = (signal: EndSignal) => {
    if (signal !== 'SIGINT') end(signal)
  }
  const status = await handlingSignals(handle, () => run(program, [...args, path], env))
  if (status === 0) return
  const outcome = typeof status === 'number' ? `exited with status ${status}` : `was killed by ${status}`
  throw new Failure(`the editor ${program} ${outcome}; nothing was changed`)
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
  if (found === undefined) throw new Failure('no editor found: set $VISUAL or $EDITOR, or use --file')
  return found
}

/** Splits a command like a shell, without expansions. */
function words(command: string): readonly string[] {
  if (existsSync(command)) return [command]
  return Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}
