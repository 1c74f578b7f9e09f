// The texts that were replaced, numbered from 1, in a folder beside the present ones.
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Installation } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'
import { keptBefore, makeFolder, moveWhole, readWhole, removeWhole, sha256, unusable } from '../../whole-file.ts'
import { ALL, type Texts } from './texts.ts'

export interface PreviousText {
  readonly number: number
  /** When it was replaced: ISO 8601 in UTC. */
  readonly replacedAt: string
  /** The file that it stood in: `aup.fr.md`. */
  readonly file: string
  readonly path: string
}

const NAME = /^(\d{4,})_(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\dZ)_(.+)$/

/** The oldest first. */
export async function previousTexts(texts: Texts): Promise<readonly PreviousText[]> {
  const folder = historyFolder(texts)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw unusable(folder, 'read', error)
  })
  return names
    .flatMap((name) => {
      const [, number, date, hours, minutes, seconds, file] = NAME.exec(name) ?? []
      if (file === undefined) return []
      const replacedAt = `${date}T${hours}:${minutes}:${seconds}`
      return [{ number: Number(number), replacedAt, file, path: join(folder, name) }]
    })
    .sort((one, other) => one.number - other.number)
}

export async function previousText(texts: Texts, number: number): Promise<PreviousText & { readonly bytes: Buffer }> {
  const found = (await previousTexts(texts)).find((text) => text.number === number)
  const bytes = found && (await readWhole(found.path))
  if (found === undefined || bytes === undefined) {
    throw new Failure(`there is no text ${number}; "gatewayctl portal aup history" lists those there are`)
  }
  return { ...found, bytes }
}

/** Takes what a change that has come to its end replaced. @param now milliseconds since the epoch */
export async function keepReplaced(installation: Installation, texts: Texts, now: number): Promise<void> {
  for (const path of ALL.map((locale) => texts.path(locale))) {
    const kept = await keptBefore(path)
    if (kept === undefined) continue
    const existing = await previousTexts(texts)
    const number = `${(existing.at(-1)?.number ?? 0) + 1}`.padStart(4, '0')
    const time = new Date(now).toISOString().replace(/\.\d+/, '').replaceAll(':', '')
    await makeFolder(historyFolder(texts), 0o755)
    await moveWhole(kept, join(historyFolder(texts), `${number}_${time}_${basename(path)}`))
  }
  const environment = await keptBefore(installation.envFile)
  if (environment !== undefined) await removeWhole(environment)
}

export async function described({ number, replacedAt, file, path }: PreviousText) {
  const bytes = (await readWhole(path)) ?? Buffer.alloc(0)
  return { number, replaced_at: replacedAt, file, size: bytes.length, sha256: sha256(bytes) }
}

const historyFolder = ({ folder }: Texts): string => join(folder, '.history')
