// Closes what a test started: a test's context, or `{ after }` of a suite or a file.
export interface Cleanup {
  after(close: () => Promise<unknown>): void
}
