// The part of every page that depends only on configuration and assets.

import type { Config } from '../settings/config.ts'
import type { Logo } from '../settings/logo.ts'
import type { Assets } from './assets.ts'
import type { Operator, Site } from './frame.ts'
import { type Html, html } from './html.ts'

export function buildSite(config: Config, assets: Assets, isPreview: boolean): Site {
  const { brand } = config
  const operator = resolveOperator(brand)
  return {
    product: brand.product,
    operator,
    version: config.release.version,
    versionLabel: config.release.label,
    supportLink: brand.supportLink,
    supportText: brand.supportText,
    logo: brand.logo && logoImage(brand.logo, operator),
    isPreview,
    locales: config.locales.supported,
    defaultLocale: config.locales.default,
    timeZone: config.timeZone,
    verdictFace: brand.palette === 'bsod',
    style: assets.style,
    certificateStyle: assets.certificateStyle,
    darkStyle: assets.darkStyle,
    scripts: assets.scripts,
  }
}

/** A data URL, so that no page makes a second request. */
function logoImage({ mediaType, bytes }: Logo, operator: Operator | undefined): Html {
  const data = Buffer.from(bytes).toString('base64')
  return html`<img src="data:${mediaType};base64,${data}" alt="${operator?.name ?? ''}">`
}

/** The organisation, else the brand company with its address; undefined selects the catalogue's fallback. */
function resolveOperator({ organisation, company, companyUrl }: Config['brand']): Operator | undefined {
  if (organisation !== undefined) return { name: organisation, url: undefined }
  return company === undefined ? undefined : { name: company, url: companyUrl }
}
