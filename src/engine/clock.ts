/** Milliseconds since the Unix epoch. */
export type Clock = () => number
