// What a worker tells the primary of its event loop, every second; a worker that stands still is heard no more.

export interface DelayReport {
  readonly kind: 'delay'
  /** The longest since the last report. */
  readonly milliseconds: number
}

export const REPORT_MILLISECONDS = 1_000

/** @param longestDelay the longest since it was asked last, in milliseconds */
export function reportDelays(longestDelay: () => number): void {
  setInterval(() => {
    process.send?.({ kind: 'delay', milliseconds: longestDelay() } satisfies DelayReport)
  }, REPORT_MILLISECONDS).unref()
}
