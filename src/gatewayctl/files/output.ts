// The destination of an export: standard output, or a file that replaces an existing one atomically.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { printableLines } from '../terminal/printable.ts'
import { replacedPath, syncFolder } from './atomic-file.ts'

export interface Output {
  /** Resolves when more can be written. */
  write(text: string): Promise<void>
  /** Call it after the last write. */
  finish(): Promise<void>
}

/** A broken stream ends the process. On a terminal the text is made printable. */
export function streamOutput(stream: NodeJS.WriteStream): Output {
  return {
    write: (text) =>
      new Promise((resolve) => {
        stream.write(stream.isTTY ? printableLines(text) : text, (error) => {
          if (!error) resolve()
        })
      }),
    async finish() {},
  }
}

/**
 * A file that only its owner can read. It replaces a file of the same name at the end; until then, and after an
 * interruption, that file is unchanged.
 * @throws {Failure}
 */
export async function fileOutput(given: string): Promise<Output> {
  const path = await target(given)
  const unfinished = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
  const file = await orFailure(given, open(unfinished, 'wx', 0o600))
  const remove = () => rmSync(unfinished, { force: true })
  process.once('exit', remove)
  return {
    write: (text) => orFailure(given, file.appendFile(text)),
    async finish() {
      await orFailure(given, file.sync())
      await file.close()
      await orFailure(given, rename(unfinished, path))
      process.removeListener('exit', remove)
      await orFailure(given, syncFolder(dirname(path)))
    },
  }
}

/** The target of a link. @throws {Failure} for a device, which a file must not replace */
async function target(path: string): Promise<string> {
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined) return path
  if (!existing.isFile()) throw new Failure(`${path} exists and is not a file`, EXIT_MISUSED)
  return await orFailure(path, replacedPath(path))
}

async function orFailure<T>(path: string, work: Promise<T>): Promise<T> {
  return await work.catch((error: Error) => {
    throw new Failure(`${path} cannot be written: ${error.message}`)
  })
}
