// The portal with the operator's configuration, an in-memory ledger and a simulated engine, and an index of all pages.
import type { Logger } from 'pino'
import type { PolicyTexts } from '../../aup/policy-texts.ts'
import { type Html, html } from '../../html/html.ts'
import { openLedger } from '../../ledger/ledger.ts'
import { createApp, type Portal } from '../app.ts'
import { capacityOf } from '../capacity.ts'
import type { Exchange } from '../http/exchange.ts'
import { plain } from '../http/handler.ts'
import type { OutcomeName } from '../outcome/outcomes.ts'
import { frame } from '../page/frame.ts'
import { frameNotice } from '../page/frame-notice.ts'
import { loadCatalogues } from '../page/i18n/catalogue.ts'
import type { Route } from '../routes.ts'
import type { Services } from '../services.ts'
import type { Config } from '../settings/config.ts'
import { policyDocuments } from '../verdict/policy-document.ts'
import {
  CERTIFICATE_PATH,
  FRAME_NOTICE_PATH,
  OUTCOME_PATH,
  outcomeNames,
  PRIVACY_PATH,
  pageStates,
  sampleOutcome,
} from './page-states.ts'
import { previewCertificatePage } from './preview-certificate.ts'
import { createPreviewEngine, LOCKING_CODE, PREVIEW_CODES } from './preview-engine.ts'
import { previewPrivacyPage } from './preview-privacy.ts'
import { sampleCertificate } from './sample-certificates.ts'

export interface PreviewOptions {
  /** Its base URL must be the preview's address. */
  readonly config: Config
  /** The operator's; the built-in ones when omitted. */
  readonly policyTexts?: PolicyTexts | undefined
  readonly privacyTexts?: PolicyTexts | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly log: Logger
  /** Whether every page is marked as a preview. */
  readonly isMarked: boolean
}

const ACCEPTED_PATH = '/preview/accepted'

export async function createPreviewApp(options: PreviewOptions): Promise<Portal> {
  const { config, policyTexts, privacyTexts, clock, log, isMarked } = options
  const ledger = await openLedger({ dialect: 'sqlite', path: ':memory:' }, { clock, migrate: true })
  // The list of pages is in English.
  const catalogues = await loadCatalogues([...config.locales.supported, 'en'])
  const documents = policyDocuments(catalogues, policyTexts)
  for (const locale of config.locales.supported) await ledger.keepDocument(documents[locale])
  const sendAcknowledgement = createPreviewEngine(config.publicAddress.baseUrl + ACCEPTED_PATH)
  const publishedCa = () => ({ certificate: sampleCertificate, next: undefined })
  const dependencies = {
    config,
    ledger,
    catalogues,
    documents,
    privacyTexts,
    sendAcknowledgement,
    publishedCa,
    clock,
    log,
    capacity: capacityOf(1024),
    isPreview: isMarked,
  }
  const app = createApp(dependencies, previewRoutes)
  return {
    ...app,
    async close() {
      await app.close()
      await ledger.close()
    },
  }
}

function previewRoutes({ config, clock, responses, respond, resolveVisit, noticeStyle }: Services): Route[] {
  const methods = 'GET, HEAD'
  const pageOf = (exchange: Exchange, title: string, body: Html) => {
    const visit = resolveVisit(exchange, 'en')
    return plain(responses.page(exchange, visit, 200, frame(visit, { title, body })))
  }
  return [
    {
      ...{ path: '/', methods },
      handle(exchange) {
        const all = pageStates(config.payload.keyring.sealing, Math.floor(clock() / 1000))
        const states = all.filter(({ action }) => action === undefined)
        const body = html`<h1>Every page, in every state</h1>
<p>With this configuration, and with sample data. The codes <bdi translate="no">${PREVIEW_CODES.join(', ')}</bdi> are right, all others are wrong; <bdi translate="no">${LOCKING_CODE}</bdi> locks out.</p>
<ul>${states.map(({ title, target }) => html`<li><a href="${target}">${title}</a></li>`)}</ul>`
        return pageOf(exchange, 'Preview', body)
      },
    },
    {
      ...{ path: ACCEPTED_PATH, methods },
      handle(exchange) {
        const body = html`<h1>Accepted</h1><p>The visitor would now be at the site. <a href="/">Back to the list</a></p>`
        return pageOf(exchange, 'Preview', body)
      },
    },
    {
      ...{ path: CERTIFICATE_PATH, methods },
      handle(exchange) {
        const visit = resolveVisit(exchange)
        const page = previewCertificatePage(visit, exchange.query, clock())
        return plain(responses.certificatePage(exchange, visit, 200, page))
      },
    },
    {
      ...{ path: PRIVACY_PATH, methods },
      handle(exchange) {
        const visit = resolveVisit(exchange)
        return plain(responses.page(exchange, visit, 200, previewPrivacyPage(visit, exchange.query)))
      },
    },
    {
      ...{ path: FRAME_NOTICE_PATH, methods },
      handle(exchange) {
        const visit = resolveVisit(exchange)
        return plain(responses.frameNotice(exchange, visit, 403, frameNotice(visit, noticeStyle)))
      },
    },
    { path: OUTCOME_PATH, methods, handle: (exchange) => plain(respond(exchange, sampleOutcome(nameIn(exchange)))) },
  ]
}

function nameIn({ query }: Exchange): OutcomeName {
  const wanted = new URLSearchParams(query).get('name')
  return outcomeNames.find((name) => name === wanted) ?? 'notFound'
}
