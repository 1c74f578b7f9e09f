// For what is kept longer than its request.

/** A part of a string, such as of the head that it was in, keeps the whole one in memory. */
export function ownCopy(part: string): string {
  return Buffer.from(part).toString()
}
