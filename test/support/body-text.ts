import type { Body } from '../../src/portal/page/body.ts'

/** The text of a response's body. */
export function bodyText(body: Body): string {
  return Buffer.concat(body.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))).toString()
}
