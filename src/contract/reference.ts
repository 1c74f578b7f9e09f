// The verdict's id (`jti`) as people hand it over: the page shows it in groups of four, and mails add spaces.

/** 128 random bits. */
export const REFERENCE = /^[A-Za-z0-9_-]{22}$/

/** One as somebody dictates it: its beginning suffices, and case does not count. */
export const DICTATED_REFERENCE = /^[A-Za-z0-9_-]{8,22}$/

/** Whether this may be the reference that was dictated. */
export function isDictated(reference: string, dictated: string): boolean {
  return reference.slice(0, dictated.length).toLowerCase() === dictated.toLowerCase()
}

/** In groups of four, as the page shows it. */
export function groupedReference(reference: string): string {
  return reference.replace(/(.{4})(?=.)/g, '$1 ')
}

/** Without white space and invisible characters; whether it is complete is not checked. */
export function parseReference(given: string): string {
  return given.replace(/[\s\p{Cf}]/gu, '')
}
