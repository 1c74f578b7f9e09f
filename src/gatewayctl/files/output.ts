// Where an export goes: standard output as it comes, or a file that is there whole or not at all.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { printableLines } from '../terminal/printable.ts'
import { syncFolder } from './atomic-file.ts'

export interface Output {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>
  /** All has been written. */
  finish(): Promise<void>
}

/** A stream that breaks ends the process. On a terminal the text is made safe to look at. */
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
 * A file for its owner alone, that takes the place of one of the same name at the end; before that, and after an
 * interruption, that one is untouched.
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

/** What a link leads to. A device is not to be replaced by a file. */
async function target(path: string): Promise<string> {
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined) return path
  if (!existing.isFile()) throw new Failure(`${path} is there already, and is not a file`, EXIT_MISUSED)
  return await realpath(path)
}

async function orFailure<T>(path: string, work: Promise<T>): Promise<T> {
  return await work.catch((error: Error) => {
    throw new Failure(`${path} cannot be written: ${error.message}`)
  })
}
