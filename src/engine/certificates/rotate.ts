// The rotation command: publishes the next CA, so that clients can trust it before it is used.
import type { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { publishNextCa, validFrom } from './ca.ts'
import { DAY_MS } from './issue.ts'

/**
 * @param days until it is used
 * @returns the message for the operator
 * @throws {UnusableCa} when there is no current CA, or a next CA exists already
 */
export async function rotateCa(
  { folder, organisation }: { readonly folder: string; readonly organisation: string },
  days: number,
  now: number,
): Promise<string> {
  const next = await publishNextCa({ folder, organisation, now }, now + days * DAY_MS)
  return `The next interception CA is published: ${join(folder, 'ca', 'ca-next.crt')}
SHA-256 ${next.fingerprint256}
${days === 0 ? IN_USE_NOW : usedLater(next)}
`
}

const IN_USE_NOW =
  'It is in use within a minute. Devices that do not trust it yet show certificate errors from then on.'

function usedLater(next: X509Certificate): string {
  return `It is valid from ${validFrom(next)} on, and used an hour later, for devices whose clock is slow.
Before that time, every device must trust it in addition to the current one.`
}
