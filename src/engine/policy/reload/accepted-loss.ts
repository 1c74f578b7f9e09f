// The first line of a group's file that has lost half of its users: `update-groups` writes it next to the file in use, and an
// administrator who puts it in place accepts the loss. The line says so to the engine, which need not be asked to accept it again.

const LINE = /^# Putting this file in place accepts a loss: from (\d+) users to (\d+)\.\n/

export function acceptanceLine(before: number, now: number): string {
  return `# Putting this file in place accepts a loss: from ${before} users to ${now}.\n`
}

/**
 * From how many users the loss is accepted; undefined where it is not, or not for what the file contains.
 * @param size the number of users in the file
 */
export function acceptedLossFrom(text: string, size: number): number | undefined {
  const [, before, now] = LINE.exec(text) ?? []
  return Number(now) === size ? Number(before) : undefined
}

export function withoutAcceptance(text: string): string {
  return text.replace(LINE, '')
}
