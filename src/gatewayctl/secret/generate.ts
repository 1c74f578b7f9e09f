// A new secret: 256 random bits, in characters that need no quotes.
import { randomBytes } from 'node:crypto'

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
