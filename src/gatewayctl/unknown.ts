/** What is not known on this machine, and why: the second half of a sentence. */
export interface Unknown {
  readonly reason: string
}
