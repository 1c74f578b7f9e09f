// A secret that nobody has chosen: 256 bits of the system's random source, without a character that needs quoting.
import { randomBytes } from 'node:crypto'

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
