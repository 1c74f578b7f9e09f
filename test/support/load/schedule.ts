// When requests are due. In a closed loop the next one is due once a connection is free. At a constant rate each has a
// scheduled time, whether a connection is free or not, and its latency counts from that time: when a server stalls,
// requests are late instead of missing (coordinated omission).

export interface Schedule {
  /** @returns the scheduled time of the next request if it is due; the request then counts as sent */
  take(now: number): number | undefined
  /** Whether the schedule has ended. */
  isOver(now: number): boolean
}

/** @param start in milliseconds, on the same clock as `now` */
export function closedLoop(start: number, seconds: number): Schedule {
  const end = start + seconds * 1000
  return { take: (now) => (now < end ? now : undefined), isOver: (now) => now >= end }
}

/** @param rate requests per second */
export function constantRate(start: number, seconds: number, rate: number): Schedule {
  const total = Math.max(1, Math.floor(rate * seconds))
  let sent = 0
  return {
    take(now) {
      const due = start + (sent / rate) * 1000
      if (sent === total || due > now) return undefined
      sent++
      return due
    },
    isOver: () => sent === total,
  }
}
