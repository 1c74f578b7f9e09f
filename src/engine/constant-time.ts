// Compares secrets in constant time: the duration reveals neither a matching prefix nor the secret's length.
import { hash, timingSafeEqual } from 'node:crypto'

export function equalInConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
