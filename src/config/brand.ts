// The product's name, its operator and the look of the pages.
import * as z from 'zod'
import { section } from './section.ts'
import { line, link } from './shapes.ts'

/** The publisher of the software in the footer; no variable changes it. */
export const PUBLISHER = 'Gateway Project'

export const PALETTES = ['indigo', 'amber', 'bsod'] as const
export type Palette = (typeof PALETTES)[number]

interface BrandSettings {
  readonly brand: {
    readonly product: string
    readonly palette: Palette
    readonly organisation: string | undefined
    readonly company: string | undefined
    readonly companyUrl: string | undefined
    readonly supportUrl: string | undefined
  }
}

export const brand = section(
  'Brand and operator',
  {
    GATEWAY_ORG_NAME: {
      purpose: 'Name of the organisation that operates the gateway; shown as plain text.',
      shape: line(),
    },
    GATEWAY_CAPTIVE_BRAND_COMPANY: {
      purpose: 'Name of the operator where `GATEWAY_ORG_NAME` is unset.',
      shape: line(),
      defaultNote: `\`${PUBLISHER}\` where \`GATEWAY_CAPTIVE_BRAND_COMPANY_URL\` is set; otherwise no brand company, and the pages say "your network administrator"`,
      empty: 'no brand company',
    },
    GATEWAY_CAPTIVE_BRAND_COMPANY_URL: {
      purpose: "The brand company's address, which its name then links to.",
      shape: link(['http', 'https']),
      shortName: 'BRAND_COMPANY_URL',
    },
    GATEWAY_CAPTIVE_BRAND_PRODUCT: {
      purpose: 'Product name, in the topbar and in titles.',
      shape: line(),
      default: 'Gateway Captive Portal',
    },
    GATEWAY_CAPTIVE_BRAND_PALETTE: {
      purpose: 'Colours of the pages.',
      shape: z.enum(PALETTES).catch('indigo').describe('indigo, amber or bsod; anything else means indigo'),
      default: 'indigo',
      shortName: 'BRAND_PALETTE',
    },
    GATEWAY_CAPTIVE_SUPPORT_URL: {
      purpose: 'One contact link on the pages.',
      shape: link(['http', 'https', 'mailto', 'tel']),
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
        supportUrl: values.GATEWAY_CAPTIVE_SUPPORT_URL,
      },
    }
  },
)
