// What the routes share, built once from the app's dependencies.
import { redeem } from '../contract/verdict-url.ts'
import { createRecordAcceptance } from './acknowledgement/record-acceptance.ts'
import { createRelayLimit } from './acknowledgement/relay-limit.ts'
import type { Dependencies } from './dependencies.ts'
import { buildHeaders } from './http/response-headers.ts'
import { createResponses } from './http/responses.ts'
import { createTally } from './monitoring/tally.ts'
import { createRespond } from './outcome/respond.ts'
import { buildAssets } from './page/assets.ts'
import { isRightToLeft } from './page/i18n/catalogue.ts'
import { buildSite } from './page/site.ts'
import { createVerdictPages } from './verdict/render-verdict.ts'
import { createSessions } from './visitor/session.ts'
import { createVisitResolver } from './visitor/visit.ts'
import { createVisitorAddresses } from './visitor/visitor-address.ts'

export type Services = ReturnType<typeof createServices>

export function createServices(dependencies: Dependencies) {
  const { config, catalogues, clock, documents, publishedCa, log, capacity } = dependencies
  const { brand, locales, policy, publicAddress, release } = config
  const { keyring, maxAgeSeconds } = config.payload
  const assets = buildAssets(brand.palette, {
    policy: policy.enabled,
    logo: brand.logo !== undefined,
    rightToLeft: locales.supported.some(isRightToLeft),
  })
  const site = buildSite(config, assets, catalogues, dependencies.isPreview ?? false)
  const sessions = createSessions({ secure: publicAddress.secure, locales, secrets: config.session.secrets })
  const resolveVisit = createVisitResolver({ site, sessions, locales, clock, publishedCa })
  const responses = createResponses(buildHeaders({ versionLabel: release.label, ...publicAddress, ...assets }))
  const tally = dependencies.tally ?? createTally()
  return {
    ...dependencies,
    tally,
    site,
    sessions,
    resolveVisit,
    responses,
    respond: createRespond(responses, resolveVisit, dependencies.config.locales),
    noticeStyle: assets.noticeStyle,
    redeem: (query: string) => redeem(query, keyring, { now: clock(), maxAgeSeconds }),
    renderVerdict: createVerdictPages(site, documents),
    visitors: createVisitorAddresses(config.trustedProxies, log),
    relayLimit: createRelayLimit(capacity, tally.shed),
    recordAcceptance: createRecordAcceptance(dependencies),
  }
}
