// The rotation command: publishes the next CA, so that clients can trust it before it is used.
import { join } from 'node:path'
import { publishNextCa } from './ca.ts'
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
  const from = now + days * DAY_MS
  const { fingerprint256 } = await publishNextCa({ folder, organisation, now }, from)
  return `The next interception CA is published: ${join(folder, 'ca', 'ca-next.crt')}
SHA-256 ${fingerprint256}
It is used from ${new Date(from).toISOString()} on. Until then every device should learn to trust it as well as the current one.
`
}
