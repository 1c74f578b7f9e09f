// Where something about people is kept, and until when.

export interface Place {
  /** `acceptances` */
  readonly what: string
  /** A path, a database, a service. */
  readonly where: string
  /** `for 14 days`; null where nothing limits it. */
  readonly kept: string | null
  /** The setting that decides it, or what sets a limit where there is none. */
  readonly set: string
  /** Whether the gateway's commands cannot delete one person from it. */
  readonly isBeyondReach: boolean
}

/** `for 14 days`, `for 1 day` */
export function forDays(days: number): string {
  return `for ${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`
}
