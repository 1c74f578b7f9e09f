// Switches: names that rules have, each off until an administrator turns it on for a time, for everyone or for some networks.

/** Those that are on. */
export interface Switches {
  /**
   * When the switch turns off for this client, if nobody touches it; undefined while it is off.
   * @param address as `addressWords` returns it
   * @param at milliseconds since the epoch, by the clock of the process, as is the result
   */
  offAt(name: string, address: readonly number[], at: number): number | undefined
}

export const ALL_OFF: Switches = { offAt: () => undefined }

/** The names that rules have. */
export function switchNames(rules: readonly { readonly switch: string | undefined }[]): readonly string[] {
  return [...new Set(rules.flatMap((rule) => rule.switch ?? []))]
}
