// Comparing secrets without telling by the time how much of a guess was right, nor how long the secret is.
import { hash, timingSafeEqual } from 'node:crypto'

export function equalInConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
