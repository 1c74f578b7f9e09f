// The verdict's id (`jti`) as people hand it over: the page shows it in groups of four, and mails add spaces.

/** 128 random bits. */
export const REFERENCE = /^[A-Za-z0-9_-]{22}$/

/** Without white space and invisible characters; whether it is complete is not checked. */
export function parseReference(given: string): string {
  return given.replace(/[\s\p{Cf}]/gu, '')
}
