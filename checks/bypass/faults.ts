// How the helper fails that stands between Squid and the one that knows which hosts are ruled.

/** What it does to each answer; `exits` is at a question. */
export const FAULTS = ['none', 'BH', 'ERR', 'garbled', 'in two writes', 'slow', 'silent', 'exits'] as const
export type Fault = (typeof FAULTS)[number]
