// When requests go out. In a closed loop the next one goes once a connection is free. At a constant rate each has its
// own moment, whether a connection is free or not, and its latency counts from that moment: a server that halts makes
// the requests of that time late instead of leaving them out.

export interface Schedule {
  /** The moment that the next request was meant for, once that has come; the request then counts as sent. */
  take(now: number): number | undefined
  /** Whether no more will come. */
  isOver(now: number): boolean
}

/** @param start, now in milliseconds of one clock */
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
      const meant = start + (sent / rate) * 1000
      if (sent === total || meant > now) return undefined
      sent++
      return meant
    },
    isOver: () => sent === total,
  }
}
