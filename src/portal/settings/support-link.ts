// The link through which visitors get help. Its placeholders are filled in on the pages, with a verdict's details.
import { link, parsed } from '../../settings/shapes.ts'

type SupportScheme = 'http' | 'https' | 'mailto' | 'tel'
export type SupportPlaceholder = 'reference' | 'rule' | 'host' | 'category'

export interface SupportLink {
  readonly scheme: SupportScheme
  /** Normalised, with its placeholders; ASCII. */
  readonly href: string
  /** For display: the mail address or number, or the form's address without query and fragment. */
  readonly address: string
  /** `mailto:` only: header fields that the operator has not set. */
  readonly unsetFields: readonly ('subject' | 'body')[]
}

const MAXIMUM_CHARACTERS = 500

const supportUrl = link(['http', 'https', 'mailto', 'tel'])
/** Addresses other than mail end up in browser histories and in third-party logs. */
const PLACEHOLDERS = { mailto: /\{(?:reference|rule|host|category)\}/g, other: /\{reference\}/g }

export const supportLink = parsed(
  `${supportUrl.description}; placeholders after its first ? or #: {reference}, and with mailto {rule}, {host} and {category}`,
  (text): SupportLink | undefined => {
    const url = URL.parse(supportUrl.safeParse(text).data ?? '')
    if (url === null) return undefined
    const scheme = url.protocol.slice(0, -1) as SupportScheme
    const isMail = scheme === 'mailto'
    const [address = ''] = text.split(/[?#]/, 1)
    const literal = address + text.slice(address.length).replaceAll(PLACEHOLDERS[isMail ? 'mailto' : 'other'], '')
    if (/[{}]/.test(literal) || url.href.length > MAXIMUM_CHARACTERS) return undefined
    // A fragment would end up in the last field.
    if (isMail) url.hash = ''
    const fields = [...url.searchParams.keys()].map((name) => name.toLowerCase())
    return {
      scheme,
      href: url.href,
      address: url.host === '' ? address.slice(url.protocol.length) : address,
      unsetFields: isMail ? (['subject', 'body'] as const).filter((name) => !fields.includes(name)) : [],
    }
  },
)
