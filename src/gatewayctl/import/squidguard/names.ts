// Names of rules, lists and groups, as the policy may have them.

const MAXIMUM_BYTES = 100

/** Without control characters, and short; never empty. */
export function nameOf(text: string): string {
  let name = ''
  for (const character of text.replace(/[\p{Cc}\p{Cs}]/gu, '-')) {
    if (Buffer.byteLength(name + character) > MAXIMUM_BYTES) break
    name += character
  }
  return name === '' ? '-' : name
}

/** Adds the name, or one with a number at its end, to those that are taken. */
export function uniqueName(text: string, taken: Set<string>): string {
  const wanted = nameOf(text)
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}
