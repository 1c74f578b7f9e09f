// Fills in the operator's support link with a verdict's details. They are the engine's text: encoded, they can neither end
// their field nor add another one.
import type { SupportLink, SupportPlaceholder } from '../settings/support-link.ts'

/** What is known of a verdict; the rest stays empty. */
export type SupportDetails = { readonly [Name in SupportPlaceholder]?: string | undefined }

/** For `mailto:` links whose subject or body the operator has not set. */
export interface Mail {
  readonly subject: string
  /** Lines, below space for the visitor's own text. */
  readonly body: readonly string[]
}

/** Longer links fail in some mail programs. */
const MAXIMUM_BYTES = 1500
/** Of each detail, in characters. With no characters, every link fits. */
const LENGTHS = [300, 60, 30, 15, 0]

/** @param mail called again with shortened details if the link would become too long */
export function supportHref(
  link: SupportLink,
  details: SupportDetails = {},
  mail?: (details: SupportDetails) => Mail,
): string {
  let href = ''
  for (const length of LENGTHS) {
    const shortened = {
      reference: details.reference,
      rule: truncate(details.rule, length),
      host: truncate(details.host, length),
      category: truncate(details.category, length),
    }
    href = withMail(link, expandPlaceholders(link.href, shortened), mail?.(shortened))
    if (href.length <= MAXIMUM_BYTES) return href
  }
  return href
}

function expandPlaceholders(href: string, details: SupportDetails): string {
  return href.replace(/\{(\w+)\}/g, (_, name: SupportPlaceholder) => percentEncode(details[name] ?? ''))
}

function withMail({ unsetFields }: SupportLink, href: string, mail: Mail | undefined): string {
  if (mail === undefined) return href
  // RFC 6068, section 5: line breaks are CRLF.
  const values = { subject: mail.subject, body: ['', '', ...mail.body].join('\r\n') }
  const fields = unsetFields.map((name) => `${name}=${percentEncode(values[name])}`)
  return [href, ...fields].reduce((start, field) => `${start}${start.includes('?') ? '&' : '?'}${field}`)
}

/** Every character that RFC 3986 reserves: programs that open mail links have confused quotes and brackets. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}

const UNWANTED = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

function truncate(text: string | undefined, length: number): string | undefined {
  if (text === undefined) return undefined
  const clean = text.replace(UNWANTED, '')
  return clean.length <= length ? clean : [...clean].slice(0, length).join('')
}
