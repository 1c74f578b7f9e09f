// The operator's name, the product's and the colours: pages have them, also those of proxy and terminator; a new interception CA has the name.
import * as z from 'zod'
import { line } from '../shapes.ts'

export const ORG_NAME = {
  purpose: 'Name of the operator.',
  shape: line(),
}

/** Where ORG_NAME is unset. */
export const BRAND_COMPANY = {
  purpose: 'Name of the operator if `GATEWAY_ORG_NAME` is unset.',
  shape: line(),
  empty: 'no brand company',
}

export const BRAND_PRODUCT = {
  purpose: 'Product name in topbar and titles.',
  shape: line(),
  default: 'Gateway Captive Portal',
} as const

export const PALETTES = ['indigo', 'amber', 'bsod'] as const
export type Palette = (typeof PALETTES)[number]

export const BRAND_PALETTE = {
  purpose: 'Colours of the pages.',
  shape: z.enum(PALETTES).catch('indigo').describe('indigo, amber or bsod; anything else means indigo'),
  default: 'indigo',
  shortName: 'BRAND_PALETTE',
} as const
