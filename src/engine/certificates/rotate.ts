// The rotation command: publishes the CA that follows, so that clients can trust it before it is used.
import { join } from 'node:path'
import { publishNextCa } from './ca.ts'
import { DAY_MS } from './issue.ts'

/**
 * @param days until it is used
 * @returns what to tell the operator
 * @throws {UnusableCa} when there is no CA to follow, or one that follows already
 */
export async function rotateCa(
  { folder, organisation }: { readonly folder: string; readonly organisation: string },
  days: number,
  now: number,
): Promise<string> {
  const from = now + days * DAY_MS
  const { fingerprint256 } = await publishNextCa({ folder, organisation, now }, from)
  return `The interception CA that follows is published: ${join(folder, 'ca', 'ca-next.crt')}
SHA-256 ${fingerprint256}
It is used from ${new Date(from).toISOString()} on. Until then every device should trust it beside the present one.
`
}
