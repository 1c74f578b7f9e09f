// Reads exported heads: what `heads --json` prints, or the portal's log. They are what a ledger is verified against, so that a
// damaged file is refused rather than read in part.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { isSigned } from '../../../ledger/heads/head.ts'
import type { HeadRecord } from '../../../ledger/schema.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { quoted } from '../../terminal/printable.ts'

const hex = z.string().regex(/^[0-9a-f]{64}$/)

const shape = z.object({
  portal: z.string().max(100),
  number: z.int().min(1),
  at: z.iso.datetime(),
  until: z.iso.datetime().nullable(),
  size: z.int().min(0),
  root: hex,
  previous: hex.nullable(),
  key: z.string().max(100),
  signature: z.string().max(200),
})

/** Of one line; a log's lines may have something before the object. */
const MAX_LINE = 100_000

/** @throws {Failure} if it cannot be read, has no head, or one whose signature is not valid */
export async function readExportedHeads(file: string): Promise<readonly HeadRecord[]> {
  const refuse = (reason: string): never => {
    throw new Failure(`${quoted(file)} ${reason}`, EXIT_MISUSED)
  }
  const heads: HeadRecord[] = []
  let at = 0
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      at++
      const found = line.length > MAX_LINE ? undefined : candidate(line)
      if (found === undefined) continue
      const { success, data } = shape.safeParse(found)
      if (!success || !isSigned(data)) refuse(`has a head in line ${at} that is damaged, or was changed`)
      else heads.push(data)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    refuse(`cannot be read: ${(error as Error).message}`)
  }
  if (heads.length === 0) refuse('has no heads: "portal acceptances heads --json" prints them, one per line')
  return heads
}

/** An object that claims to be a head. */
function candidate(line: string): unknown {
  const start = line.indexOf('{')
  if (start < 0 || !line.includes('"ledger.head"')) return undefined
  try {
    const parsed = JSON.parse(line.slice(start))
    return parsed?.event === 'ledger.head' ? parsed : undefined
  } catch {
    return {}
  }
}
