// Every address of the portal, and what is special about it.
import { ACKNOWLEDGEMENT_PATH } from '../contract/acknowledgement.ts'
import { VERDICT_PATH } from '../contract/verdict.ts'
import { acknowledgementOffRoute, acknowledgeRoute } from './acknowledgement/route.ts'
import { certificateFileRoute } from './certificate/file-route.ts'
import { PAC_PATH, pacRoute } from './certificate/pac-route.ts'
import { certificateRoute } from './certificate/route.ts'
import { sheetRoute } from './certificate/sheet-route.ts'
import type { Handler } from './http/handler.ts'
import { logoRoute } from './logo-route.ts'
import { healthRoute } from './monitoring/health-route.ts'
import { LOGO_PATH } from './page/logo-address.ts'
import { privacyRoute } from './privacy/route.ts'
import type { Services } from './services.ts'
import { verdictRoute } from './verdict/route.ts'
import { localeRoute } from './visitor/locale-route.ts'

export interface Route {
  /** Matched byte for byte. */
  readonly path: string
  /** Other methods get 405. With `any`, the handler decides. */
  readonly methods: 'GET' | 'GET, HEAD' | 'any'
  /** Also with a slash at the end: apps append one. */
  readonly slash?: true
  /** Served over plain http; everything else redirects to https. */
  readonly overHttp?: true
  /** Served however long the request was queued. */
  readonly neverShed?: true
  readonly handle: Handler
}

export function portalRoutes(services: Services): readonly Route[] {
  const methods = 'GET, HEAD'
  const { respond, sendAcknowledgement } = services
  return [
    { path: VERDICT_PATH.block, methods, handle: verdictRoute('block', services) },
    { path: VERDICT_PATH.warn, methods, handle: verdictRoute('warn', services) },
    { path: VERDICT_PATH.aup, methods, handle: verdictRoute('aup', services) },
    sendAcknowledgement === undefined
      ? { path: ACKNOWLEDGEMENT_PATH, methods: 'any', handle: acknowledgementOffRoute(respond) }
      : { path: ACKNOWLEDGEMENT_PATH, methods: 'GET', handle: acknowledgeRoute({ ...services, sendAcknowledgement }) },
    { path: '/ca', methods, slash: true, overHttp: true, handle: certificateRoute(services) },
    { path: '/ca.crt', methods, slash: true, overHttp: true, handle: certificateFileRoute('crt', services) },
    { path: '/ca.cer', methods, slash: true, overHttp: true, handle: certificateFileRoute('cer', services) },
    {
      ...{ path: '/ca.mobileconfig', methods, slash: true, overHttp: true },
      handle: certificateFileRoute('mobileconfig', services),
    },
    { path: PAC_PATH, methods, handle: pacRoute(services) },
    { path: '/ca/sheet', methods, slash: true, handle: sheetRoute(services) },
    { path: LOGO_PATH, methods, handle: logoRoute(services) },
    { path: '/locale', methods, handle: localeRoute(services) },
    { path: '/privacy', methods, slash: true, handle: privacyRoute(services) },
    // The liveness probe: a busy portal must not be restarted.
    { path: '/healthz', methods, slash: true, neverShed: true, handle: healthRoute(services) },
  ]
}
