// A user's name, in the one form that rules, groups, sessions and lockouts compare.

const MAXIMUM_BYTES = 256

/**
 * Reads a name as the proxy reports it: in lower case, because directories accept any case (otherwise "ALICE" would escape
 * a rule about "alice", and be counted separately for lockouts), and in NFC, because keyboards send a character composed or
 * decomposed. Undefined when it is empty, longer than 256 bytes, or has control characters.
 */
export function parseUser(text: string): string | undefined {
  const name = text.normalize('NFC').toLowerCase().normalize('NFC')
  if (name === '' || /[\p{Cc}\p{Cs}]/u.test(name)) return undefined
  return Buffer.byteLength(name) <= MAXIMUM_BYTES ? name : undefined
}
