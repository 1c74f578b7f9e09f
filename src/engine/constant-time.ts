// Compares secrets in constant time: the duration reveals neither a matching prefix nor the secret's length.
import { hash, timingSafeEqual } from 'node:crypto'

export function equalInConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}

/** Compares guesses with one secret, which is hashed once: a listener compares thousands a second. */
export function comparerOf(secret: string): (guess: string) => boolean {
  const digest = hash('sha256', secret, 'buffer')
  return (guess) => timingSafeEqual(hash('sha256', guess, 'buffer'), digest)
}
