// The part of every page that depends only on configuration and assets.
import type { Config } from '../../config/config.ts'
import type { Operator, Site } from '../pages/frame.ts'
import type { Assets } from './assets.ts'

export function buildSite(config: Config, assets: Assets, isPreview: boolean): Site {
  const { brand } = config
  return {
    product: brand.product,
    operator: resolveOperator(brand),
    version: config.release.version,
    versionLabel: config.release.label,
    supportUrl: brand.supportUrl,
    isPreview,
    locales: config.locales.supported,
    verdictFace: brand.palette === 'bsod',
    style: assets.style,
    certificateStyle: assets.certificateStyle,
    darkStyle: assets.darkStyle,
    scripts: assets.scripts,
  }
}

/** The organisation, else the brand company with its address; undefined selects the catalogue's fallback. */
function resolveOperator({ organisation, company, companyUrl }: Config['brand']): Operator | undefined {
  if (organisation !== undefined) return { name: organisation, url: undefined }
  return company === undefined ? undefined : { name: company, url: companyUrl }
}
