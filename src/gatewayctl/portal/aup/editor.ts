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
  const editor = env.VISUAL?.trim() || env.EDITOR?.trim() || fallback(env.PATH)
  // The terminal sends Ctrl-C to gatewayctl, too, but it is meant for the editor.
  const handle = (signal: EndSignal) => {
    if (signal !== 'SIGINT') end(signal)
  }
  const status = await handlingSignals(handle, () => run(editor, path, env))
  if (status === 0) return
  throw new Failure(`the editor ${editor} ${outcome(status)}; nothing was changed`)
}

/** As Git reads it: a command of the shell, to which the file is added. The path of a program may have spaces. */
function run(editor: string, path: string, env: Context['env']): Promise<number | string> {
  const [program, args] = existsSync(editor) ? [editor, [path]] : ['/bin/sh', ['-c', `${editor} "$@"`, editor, path]]
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env })
    child.once('error', (error) => reject(new Failure(`the editor ${editor} cannot be run: ${error.message}`)))
    child.once('close', (code, signal) => resolve(code ?? `${signal}`))
  })
}

function outcome(status: number | string): string {
  if (typeof status === 'string') return `was killed by ${status}`
  // Of the shell, which has printed why.
  if (status === 126 || status === 127) return `cannot be run (status ${status}): correct $VISUAL or $EDITOR`
  return `exited with status ${status}`
}

function fallback(path = ''): string {
  const found = FALLBACKS.find((name) => path.split(':').some((folder) => existsSync(join(folder, name))))
  if (found === undefined) throw new Failure('no editor found: set $VISUAL or $EDITOR, or use --file')
  return found
}
