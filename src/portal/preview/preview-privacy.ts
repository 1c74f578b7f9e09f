// The privacy notice of a gateway whose engine and proxy report what they record.

import type { Html } from '../../html/html.ts'
import type { Visit } from '../page/frame.ts'
import { type PrivacyProps, privacyPage } from '../privacy/page.ts'
import type { PrivacyState } from './page-states.ts'

const STATES: Readonly<Record<PrivacyState, Pick<PrivacyProps, 'engine' | 'proxyLog'>>> = {
  journal: {
    engine: { log: { allowed: false, hosts: false }, journal: { days: 14, personDays: 3, hosts: true } },
    proxyLog: 'off',
  },
  everything: {
    engine: { log: { allowed: true, hosts: true }, journal: { days: 1, personDays: 0, hosts: true } },
    proxyLog: 'on',
  },
  off: {
    engine: { log: { allowed: false, hosts: false }, journal: { days: 0, personDays: 0, hosts: false } },
    proxyLog: 'off',
  },
}

export function previewPrivacyPage(visit: Visit, query: string): Html {
  const state = STATES[query.replace('state=', '') as PrivacyState] ?? STATES.journal
  return privacyPage(visit, {
    recordsClientAddress: true,
    logsDestination: true,
    isLanguageInAddress: false,
    ...state,
  })
}
