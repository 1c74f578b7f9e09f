// Whoever closes what was started: a test's context, or `{ after }` of a suite or a file.
export interface Cleanup {
  after(close: () => Promise<unknown>): void
}
