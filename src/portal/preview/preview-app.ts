// The portal with the operator's configuration, an in-memory ledger and a simulated engine, and an index of all pages.
import type { Logger } from 'pino'
import type { PolicyTexts } from '../../aup/policy-texts.ts'
import { parseDestination } from '../../contract/destination.ts'
import { openLedger } from '../../ledger/ledger.ts'
import { createApp, type Portal, type RouteDependencies, type Routes } from '../app.ts'
import { capacityOf } from '../capacity.ts'
import { plain } from '../http/handler.ts'
import { frame } from '../page/frame.ts'
import { html } from '../page/html.ts'
import type { Config } from '../settings/config.ts'
import { policyDocuments } from '../verdict/policy-document.ts'
import { CERTIFICATE_PATH, FRAME_NOTICE_PATH, OUTCOME_PATH, outcomeNames, pageStates } from './page-states.ts'
import { previewCertificatePage } from './preview-certificate.ts'
import { createPreviewEngine, LOCKING_CODE, PREVIEW_CODES } from './preview-engine.ts'
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
  const documents = policyDocuments(policyTexts)
  for (const locale of config.locales.supported) await ledger.keepDocument(documents[locale])
  const sendAcknowledgement = createPreviewEngine(config.publicAddress.baseUrl + ACCEPTED_PATH)
  const publishedCa = () => ({ certificate: sampleCertificate, next: undefined })
  const dependencies = {
    config,
    ledger,
    documents,
    privacyTexts,
    sendAcknowledgement,
    publishedCa,
    clock,
    log,
    capacity: capacityOf(1024),
    isPreview: isMarked,
  }
  const app = createApp(dependencies, (dependencies) => previewRoutes(dependencies, config, clock))
  return {
    ...app,
    async close() {
      await app.close()
      await ledger.close()
    },
  }
}

function previewRoutes({ responses, resolveVisit }: RouteDependencies, config: Config, clock: () => number): Routes {
  return {
    '/': (exchange) => {
      const visit = resolveVisit(exchange, 'en')
      const all = pageStates(config.payload.keyring.sealing, Math.floor(clock() / 1000))
      const states = all.filter(({ action }) => action === undefined)
      const body = html`<h1>Every page, in every state</h1>
<p>With this configuration, and with sample data. The codes <bdi translate="no">${PREVIEW_CODES.join(', ')}</bdi> are right, all others are wrong; <bdi translate="no">${LOCKING_CODE}</bdi> locks out.</p>
<ul>${states.map(({ title, target }) => html`<li><a href="${target}">${title}</a></li>`)}</ul>`
      return plain(responses.page(visit, 200, frame(visit, { title: 'Preview', body })))
    },
    [ACCEPTED_PATH]: (exchange) => {
      const visit = resolveVisit(exchange, 'en')
      const body = html`<h1>Accepted</h1><p>The visitor would now be at the site. <a href="/">Back to the list</a></p>`
      return plain(responses.page(visit, 200, frame(visit, { title: 'Preview', body })))
    },
    [CERTIFICATE_PATH]: (exchange) => {
      const visit = resolveVisit(exchange)
      return plain(responses.certificatePage(visit, previewCertificatePage(visit, exchange.query, clock())))
    },
    [FRAME_NOTICE_PATH]: (exchange) => plain(responses.frameNotice(resolveVisit(exchange))),
    [OUTCOME_PATH]: (exchange) => {
      const wanted = new URLSearchParams(exchange.query).get('name')
      const name = outcomeNames.find((candidate) => candidate === wanted) ?? 'notFound'
      const destination = parseDestination('https://fresh-news.example/today?id=7')
      const isAcknowledgement = /^(acknowledgement|code|locked|engine|overloaded|superseded|record)/.test(name)
      const outcome = {
        name,
        ...(isAcknowledgement && { destination, reference: 'cHJldmlldy1yZWZlcmVuYw' }),
        ...(name === 'lockedOut' && { retryAfter: 843 }),
      }
      return plain(responses.outcomePage(exchange, outcome))
    },
  }
}
