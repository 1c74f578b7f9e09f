// The product's name, its operator, whom visitors ask for help, and the look of the pages.
import { resolve } from 'node:path'
import type { Reading } from '../../settings/reading.ts'
import { section } from '../../settings/section.ts'
import {
  BRAND_COMPANY,
  BRAND_PALETTE,
  BRAND_PRODUCT,
  ORG_NAME,
  type Palette,
} from '../../settings/sections/operator.ts'
import { policyFolder } from '../../settings/sections/policy.ts'
import { line, link, relativePath } from '../../settings/shapes.ts'
import { shown } from '../../settings/shown.ts'
import { type Logo, logoType, MAXIMUM_LOGO_BYTES } from './logo.ts'
import { type SupportLink, supportLink } from './support-link.ts'

/** The publisher of the software in the footer; no variable changes it. */
export const PUBLISHER = 'Gateway Project'

export { PALETTES, type Palette } from '../../settings/sections/operator.ts'

interface BrandSettings {
  readonly brand: {
    readonly product: string
    readonly palette: Palette
    readonly organisation: string | undefined
    readonly company: string | undefined
    readonly companyUrl: string | undefined
    readonly supportLink: SupportLink | undefined
    readonly supportText: string | undefined
    readonly logo: Logo | undefined
  }
}

export const brand = section(
  'Brand and operator',
  {
    GATEWAY_ORG_NAME: ORG_NAME,
    GATEWAY_CAPTIVE_BRAND_COMPANY: {
      ...BRAND_COMPANY,
      defaultNote: `\`${PUBLISHER}\` if \`GATEWAY_CAPTIVE_BRAND_COMPANY_URL\` is set; otherwise none: pages say "your network administrator"`,
    },
    GATEWAY_CAPTIVE_BRAND_COMPANY_URL: {
      purpose: "Link of the brand company's name.",
      shape: link(['http', 'https']),
      shortName: 'BRAND_COMPANY_URL',
    },
    GATEWAY_CAPTIVE_BRAND_PRODUCT: BRAND_PRODUCT,
    GATEWAY_CAPTIVE_BRAND_PALETTE: BRAND_PALETTE,
    GATEWAY_CAPTIVE_BRAND_LOGO: {
      purpose: '[Logo](theming.md#logo); a relative path is in the folder of `GATEWAY_CAPTIVE_AUP_PATH`.',
      shape: relativePath,
    },
    GATEWAY_CAPTIVE_SUPPORT_URL: {
      purpose: '[Whom visitors ask](theming.md#whom-to-ask), and where they report a mistake.',
      shape: supportLink,
    },
    GATEWAY_CAPTIVE_SUPPORT_TEXT: {
      purpose: 'Plain text next to it.',
      shape: line(120),
    },
  },
  (values, reading): BrandSettings => {
    const organisation = values.GATEWAY_ORG_NAME
    const companyUrl = values.GATEWAY_CAPTIVE_BRAND_COMPANY_URL
    const company = values.GATEWAY_CAPTIVE_BRAND_COMPANY ?? (companyUrl === undefined ? undefined : PUBLISHER)
    if (organisation === undefined && !company) {
      reading.warn('GATEWAY_ORG_NAME is unset: pages call the operator of this gateway "your network administrator"')
    }
    return {
      brand: {
        product: values.GATEWAY_CAPTIVE_BRAND_PRODUCT,
        palette: values.GATEWAY_CAPTIVE_BRAND_PALETTE,
        organisation,
        company: company || undefined,
        companyUrl,
        supportLink: values.GATEWAY_CAPTIVE_SUPPORT_URL,
        supportText: values.GATEWAY_CAPTIVE_SUPPORT_TEXT,
        logo: readLogo(values.GATEWAY_CAPTIVE_BRAND_LOGO, reading),
      },
    }
  },
)

function readLogo(name: string | undefined, reading: Reading): Logo | undefined {
  if (name === undefined) return undefined
  const path = resolve(policyFolder(reading), name)
  const { bytes, fault } = reading.file(path)
  const mediaType = bytes && logoType(bytes)
  if (bytes !== undefined && mediaType !== undefined && bytes.length <= MAXIMUM_LOGO_BYTES) {
    return { path, mediaType, bytes }
  }
  const rule = mediaType === undefined ? 'must name an SVG, PNG or WebP file' : 'must name a file of at most 8 KB'
  reading.problem('GATEWAY_CAPTIVE_BRAND_LOGO', `${fault ?? rule}; the file is ${shown(path)}`)
  return undefined
}
