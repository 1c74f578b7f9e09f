// Request targets are taken as they come: the path is compared byte for byte, nothing is decoded, folded or joined.

/** What stands before the question mark. */
export function targetPath(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? target : target.slice(0, mark)
}

/** What follows the question mark; empty without one. */
export function targetQuery(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}
