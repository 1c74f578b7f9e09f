// Names of rules, lists and files: short, and each used once.

const MAXIMUM_CHARACTERS = 30

/** Adds the name, or one with a number at its end, to those that are taken. */
export function uniqueName(wanted: string, taken: Set<string>): string {
  const short = [...wanted].slice(0, MAXIMUM_CHARACTERS).join('')
  for (let number = 1; ; number++) {
    const name = number === 1 ? short : `${short}-${number}`
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}
