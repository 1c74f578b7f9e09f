// Replaces folders of the machine by unpacked ones, all or none. What was there stays next to them.
import { existsSync } from 'node:fs'
import { lstat, mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { fileFailure, syncFolder } from '../files/atomic-file.ts'

export interface Replacement {
  readonly unpacked: string
  readonly target: string
  /** Where the target goes. */
  readonly kept: string
}

export interface InPlace {
  /** Where the previous folders are. */
  readonly kept: readonly string[]
  /** @throws {Failure} with what could not be put back */
  putBack(): Promise<void>
}

/** @throws {Failure} with everything as it was */
export async function putInPlace(replacements: readonly Replacement[], interrupted: AbortSignal): Promise<InPlace> {
  const done: { readonly from: string; readonly to: string }[] = []
  const move = async (from: string, to: string) => {
    try {
      await rename(from, to)
      done.push({ from, to })
      await syncFolder(dirname(to))
    } catch (error) {
      throw fileFailure(from, `renamed to ${to}`, error as NodeJS.ErrnoException)
    }
  }
  const putBack = async () => {
    const stuck: string[] = []
    for (const { from, to } of done.splice(0).reverse()) {
      await rename(to, from).catch((error: Error) => stuck.push(`${to} is to be renamed to ${from}: ${error.message}`))
    }
    if (stuck.length > 0) throw new Failure(`not everything could be put back:\n${stuck.join('\n')}`)
  }
  const kept: string[] = []
  try {
    for (const one of replacements) {
      interrupted.throwIfAborted()
      // Also a link that leads nowhere.
      const isThere = await lstat(one.target).then(
        () => true,
        () => false,
      )
      if (isThere) {
        await move(one.target, one.kept)
        kept.push(one.kept)
      } else if (!existsSync(dirname(one.target))) {
        await mkdir(dirname(one.target), { recursive: true, mode: 0o755 })
      }
      await move(one.unpacked, one.target)
    }
    interrupted.throwIfAborted()
  } catch (error) {
    await putBack()
    throw error
  }
  return { kept, putBack }
}
