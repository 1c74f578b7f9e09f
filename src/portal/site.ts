// What is the same on every page of this portal, from its configuration and assets.
import type { Config } from '../config/config.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './html/html.ts'
import type { Site } from './pages/frame.ts'

export function buildSite(config: Config, assets: Assets): Site {
  const { brand } = config
  return {
    product: brand.product,
    operator: operatorMarkup(brand),
    versionLabel: config.release.label,
    supportUrl: brand.supportUrl,
    locales: config.locales.supported,
    verdictFace: brand.palette === 'bsod',
    style: assets.style,
    chosenThemeScript: assets.chosenThemeScript,
    pageScript: assets.pageScript,
    unlockScript: assets.unlockScript,
  }
}

/** The organisation as plain text, else the brand company with its link; undefined reaches the literal fallback. */
function operatorMarkup({ organisation, company, companyUrl }: Config['brand']): Html | undefined {
  if (organisation !== undefined) return html`<bdi>${organisation}</bdi>`
  if (company === undefined) return undefined
  if (companyUrl === undefined) return html`<bdi>${company}</bdi>`
  return html`<a href="${companyUrl}" rel="noreferrer"><bdi>${company}</bdi></a>`
}
