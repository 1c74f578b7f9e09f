// The part of every page that depends only on configuration and assets.

import { type Html, html } from '../../html/html.ts'
import type { Config } from '../settings/config.ts'
import type { Logo } from '../settings/logo.ts'
import type { Assets } from './assets.ts'
import type { Operator, Site } from './frame.ts'
import type { Catalogues } from './i18n/catalogue.ts'
import { logoAddress } from './logo-address.ts'

export function buildSite(config: Config, assets: Assets, catalogues: Catalogues, isPreview: boolean): Site {
  const { brand } = config
  const operator = resolveOperator(brand)
  return {
    product: brand.product,
    operator,
    version: config.release.version,
    versionLabel: config.release.label,
    supportLink: brand.supportLink,
    supportText: brand.supportText,
    logo: brand.logo && logoImage(logoAddress(brand.logo)),
    inlineLogo: brand.logo && logoImage(dataUrl(brand.logo)),
    isPreview,
    locales: config.locales.supported,
    catalogues,
    defaultLocale: config.locales.default,
    timeZone: config.timeZone,
    verdictFace: brand.palette === 'bsod',
    style: assets.style,
    certificateStyle: assets.certificateStyle,
    withoutPinStyle: assets.withoutPinStyle,
    darkStyle: assets.darkStyle,
    rightToLeftStyle: assets.rightToLeftStyle,
    scripts: assets.scripts,
  }
}

/** The name stands next to it. */
function logoImage(address: string): Html {
  return html`<img src="${address}" alt="">`
}

function dataUrl({ mediaType, bytes }: Logo): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`
}

/** The organisation, else the brand company with its address; undefined selects the catalogue's fallback. */
function resolveOperator({ organisation, company, companyUrl }: Config['brand']): Operator | undefined {
  if (organisation !== undefined) return { name: organisation, url: undefined }
  return company === undefined ? undefined : { name: company, url: companyUrl }
}
