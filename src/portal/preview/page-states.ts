// Every page in every state, with sample data: for the preview, the gallery, and the tests of sizes and accessibility.
import { type Destination, parseDestination } from '../../contract/destination.ts'
import { sealPayload } from '../../contract/payload.ts'
import type { PayloadKey } from '../../contract/secret.ts'
import { PROTOCOL_VERSION, VERDICT_PATH, type VerdictClaims } from '../../contract/verdict.ts'
import { OUTCOMES, type Outcome, type OutcomeName } from '../outcome/outcomes.ts'
import { en } from '../page/i18n/en.ts'

export interface PageState {
  /** Unique and usable as a file name: `warned-pin`. */
  readonly name: string
  readonly title: string
  /** Path and query. */
  readonly target: string
  /** For a state without its own address: what the visitor does first. */
  readonly action?: VisitorAction
}

interface VisitorAction {
  /** A code to type into the first field. */
  readonly type?: string
  /** Selectors: the element to press, and the element that then appears. */
  readonly press: string
  readonly shows: string
}

/** States that need an action, with the page on which it happens. */
const actions: Readonly<Record<string, { on: string; title: string; action: VisitorAction }>> = {
  'languages-open': {
    on: 'blocked',
    title: 'Block, languages opened',
    action: { press: 'header summary', shows: 'header ul' },
  },
  'details-copied': {
    on: 'blocked',
    title: 'Block, details copied',
    action: { press: '#copy', shows: '#copied:not(:empty)' },
  },
  'warned-pin-incomplete': {
    on: 'warned-pin',
    title: 'Warn, with a PIN, incomplete',
    action: { type: '123', press: '#enter', shows: '#message:not(:empty)' },
  },
  'warned-passphrase-wrong': {
    on: 'warned-passphrase',
    title: 'Warn, with a passphrase, wrong',
    action: { type: 'sesame', press: '#enter', shows: '#message:not(:empty)' },
  },
  'warned-pin-locked-out': {
    on: 'warned-pin',
    title: 'Warn, with a PIN, locked out',
    action: { type: '999999', press: '#enter', shows: '#message .clock' },
  },
}

export const OUTCOME_PATH = '/preview/outcome'
export const FRAME_NOTICE_PATH = '/preview/frame-notice'
export const CERTIFICATE_PATH = '/preview/certificate'

export const PRIVACY_PATH = '/preview/privacy'

/** States of the privacy notice, by what engine and proxy report; at its own address that is not known. */
const privacyStates = {
  journal: 'Privacy notice, with a journal',
  everything: 'Privacy notice, where everything is logged',
  off: 'Privacy notice, without a journal',
} as const
export type PrivacyState = keyof typeof privacyStates

/** States of the certificate page, and the sheet. */
const certificateStates = {
  '': 'Certificate page',
  next: 'Certificate page, with the next certificate',
  expiring: 'Certificate page, about to expire',
  'plain-http': 'Certificate page over plain http',
  proxy: 'Certificate page, with a proxy',
  sheet: 'Certificate page in a sign-in sheet',
  'hand-out': 'Certificate, sheet to hand out',
} as const
export type CertificateState = keyof typeof certificateStates

const SAMPLE_PAYLOAD_CHARACTERS = 600
const SAMPLE_REFERENCE = 'cHJldmlldy1yZWZlcmVuYw'

const acknowledgeable = { ack_token: 'c2FtcGxlLWFjay10b2tlbi1vZi1wcmV2aWV3', session_seconds: 3600 }

interface VerdictState {
  readonly title: string
  readonly claims: Partial<VerdictClaims>
  /** Seconds from the verdict's issue. */
  readonly opensAfter?: number
}

const verdicts: Readonly<Record<string, VerdictState>> = {
  blocked: { title: 'Block', claims: {} },
  'blocked-opens': { title: 'Block until a time', claims: {}, opensAfter: 4 * 3600 },
  'blocked-without-reason': {
    title: 'Block, no description, no category',
    claims: { rule_description: '', category: undefined as never },
  },
  'blocked-shortened': { title: 'Block, address shortened', claims: { shortened: true } },
  'blocked-described': {
    title: 'Block, described in each language, with line breaks',
    claims: {
      rule_description: 'This site was registered only a few days ago.\nIf you need it today, ask at the reception.',
      rule_descriptions: {
        fr: 'Ce site n’est enregistré que depuis quelques jours.\nPour y accéder aujourd’hui, adressez-vous à la réception.',
        de: 'Diese Website wurde erst vor wenigen Tagen registriert.\nFragen Sie am Empfang, wenn Sie sie heute brauchen.',
        'it-CH': 'Questo sito è registrato solo da pochi giorni.\nSe serve oggi, rivolgersi alla reception.',
      },
    },
  },
  'blocked-punycode': {
    title: 'Block, with an internationalised host name',
    claims: { destination: 'https://новости-дня.example/' },
  },
  'blocked-hostile': {
    title: 'Block, long and hostile values',
    claims: {
      destination: `https://${'long-label.'.repeat(12)}example/${'segment/'.repeat(40)}?q=<script>alert(1)</script>`,
      rule_name: `</dd><script>alert(1)</script>${'x'.repeat(90)}`,
      rule_description: `\u202eright to left \u05e9\u05dc\u05d5\u05dd ${'An unusually long explanation. '.repeat(25)}`,
      category: '"onmouseover="alert(1)',
    },
  },
  warned: { title: 'Warn, with a button to proceed', claims: { kind: 'warn', ...acknowledgeable } },
  'warned-terminal': { title: 'Warn, without a button to proceed', claims: { kind: 'warn' } },
  'warned-pin': {
    title: 'Warn, with a PIN',
    claims: { kind: 'warn', ...acknowledgeable, override: { type: 'pin', length: 6 } },
  },
  'warned-long-pin': {
    title: 'Warn, with a PIN of twelve digits',
    claims: { kind: 'warn', ...acknowledgeable, override: { type: 'pin', length: 12 } },
  },
  'warned-passphrase': {
    title: 'Warn, with a passphrase',
    claims: { kind: 'warn', ...acknowledgeable, override: { type: 'passphrase' } },
  },
  aup: { title: 'Policy to accept', claims: { kind: 'aup', ...acknowledgeable } },
  'aup-terminal': { title: 'Policy that cannot be accepted here', claims: { kind: 'aup' } },
  'aup-pin': {
    title: 'Policy behind a PIN',
    claims: { kind: 'aup', ...acknowledgeable, override: { type: 'pin', length: 4 } },
  },
  'aup-passphrase': {
    title: 'Policy behind a passphrase with its own prompt',
    claims: {
      kind: 'aup',
      ...acknowledgeable,
      override: { type: 'passphrase', prompt: 'Code from the reception (building B)' },
    },
  },
}

export const outcomeNames = Object.keys(OUTCOMES) as OutcomeName[]

export function sampleOutcome(name: OutcomeName): Outcome {
  const destination = parseDestination('https://fresh-news.example/today?id=7') as Destination
  const verdict = OUTCOMES[name].reopens ? { destination, reference: SAMPLE_REFERENCE } : undefined
  if (name === 'lockedOut') return { name, verdict, retryAfter: 843 }
  return name === 'methodNotAllowed' ? { name, allow: 'GET' } : { name, verdict }
}

/** @param now Unix seconds: the payloads' time of issue */
export function pageStates(key: PayloadKey, now: number): readonly PageState[] {
  const targets = new Map(
    Object.entries(verdicts).map(([name, { claims, opensAfter }]) => {
      const opening = opensAfter === undefined ? {} : { opens_at: now + opensAfter }
      return [name, target({ ...claims, ...opening }, key, now)]
    }),
  )
  return [
    ...Object.entries(verdicts).map(([name, { title }]) => ({ name, title, target: targets.get(name) as string })),
    ...Object.entries(actions).map(([name, { on, title, action }]) => {
      return { name, title, target: targets.get(on) as string, action }
    }),
    { name: 'privacy', title: 'Privacy notice', target: '/privacy' },
    ...Object.entries(privacyStates).map(([state, title]) => ({
      name: `privacy-${state}`,
      title,
      target: `${PRIVACY_PATH}?state=${state}`,
    })),
    ...Object.entries(certificateStates).map(([state, title]) => ({
      name: `certificate${state && `-${state}`}`,
      title,
      target: `${CERTIFICATE_PATH}?state=${state}`,
    })),
    { name: 'frame-notice', title: 'Notice in a frame', target: FRAME_NOTICE_PATH },
    ...outcomeNames.map((name) => ({
      name: `outcome-${name}`,
      title: `Outcome: ${en.outcome[name].title}`,
      target: `${OUTCOME_PATH}?name=${name}`,
    })),
  ]
}

function target(changes: Partial<VerdictClaims>, key: PayloadKey, now: number): string {
  const claims: VerdictClaims = {
    v: PROTOCOL_VERSION,
    ts: now,
    kind: 'block',
    jti: SAMPLE_REFERENCE,
    destination: 'https://fresh-news.example/today?id=7',
    rule_name: 'sample-rule',
    rule_description: 'This site was registered only a few days ago.',
    category: 'Newly registered',
    ...changes,
  }
  return `${VERDICT_PATH[claims.kind]}?p=${sealPadded(claims, key)}&v=${claims.v}&ts=${claims.ts}`
}

/** Padded as by a real engine, to the length for which page sizes are specified. */
function sealPadded(claims: VerdictClaims, key: PayloadKey): string {
  const seal = (pad: string) => sealPayload(JSON.stringify({ ...claims, pad }), key)
  const bare = seal('')
  const missing = Math.max(0, Math.floor(((SAMPLE_PAYLOAD_CHARACTERS - bare.length) * 3) / 4))
  return seal(' '.repeat(missing))
}
