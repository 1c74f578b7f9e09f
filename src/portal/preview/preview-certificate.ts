// The certificate page in each of its states, with the certificates' dates adjusted, and the sheet to hand out.

import type { Html } from '../../html/html.ts'
import { type CertificatePageProps, certificatePage } from '../certificate/page.ts'
import { qrCode } from '../certificate/qr-code.ts'
import { shownCertificate } from '../certificate/route.ts'
import { sheetPage } from '../certificate/sheet.ts'
import type { Visit } from '../page/frame.ts'
import type { CertificateState } from './page-states.ts'
import { nextSampleCertificate, sampleCertificate } from './sample-certificates.ts'

const DAY_MS = 86_400_000
const ADDRESS = 'http://portal.example/ca'
const PROXY = { host: 'proxy.school.example', port: 3128, pac: 'https://portal.example/proxy.pac' }

export function previewCertificatePage(visit: Visit, query: string, now: number): Html {
  const certificate = shownCertificate(sampleCertificate, '')
  const next = { ...shownCertificate(nextSampleCertificate, '?which=next'), notBefore: now + 20 * DAY_MS }
  const expiring = { ...certificate, notAfter: now + 12 * DAY_MS }
  const state = query.replace('state=', '') as CertificateState
  const code = qrCode(ADDRESS)
  if (state === 'hand-out') return sheetPage(visit, { certificate, proxy: PROXY, address: ADDRESS, qrCode: code })
  const states: Readonly<Record<Exclude<CertificateState, 'hand-out'>, Partial<CertificatePageProps>>> = {
    '': {},
    // With every notice of an ordinary browser, as during a rotation.
    next: { next, certificate: expiring, isPlainHttp: true, system: 'windows' },
    expiring: { certificate: expiring, system: 'debian' },
    'plain-http': { isPlainHttp: true, system: 'android' },
    proxy: { proxy: PROXY, system: 'windows' },
    sheet: { isPlainHttp: true, isSheet: true, system: 'ios' },
  }
  return certificatePage(visit, {
    certificate,
    next: undefined,
    proxy: undefined,
    now,
    system: undefined,
    isSheet: false,
    isPlainHttp: false,
    isLanguageInAddress: false,
    address: ADDRESS,
    qrCode: code,
    origin: 'https://portal.example',
    ...states[state],
  })
}
