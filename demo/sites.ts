// The sample sites of the demo: one for every case of the engine's sample policy.

export interface SampleSite {
  /** The first label of its host: the small gateway serves NAME.localhost, the proxy forwards to NAME.example. */
  readonly name: string
  /** Path and query that the list links to. */
  readonly path: string
  readonly expect: string
  readonly code?: string
}

export const SAMPLE_SITES: readonly SampleSite[] = [
  { name: 'casino', path: '/roulette?table=7', expect: 'Blocked' },
  { name: 'weapons', path: '/catalogue/2026', expect: 'Blocked, with a long description' },
  { name: 'news', path: '/today', expect: 'Warned, with a button to proceed' },
  { name: 'filesharing', path: '/d/4711', expect: 'Warned, without a button to proceed' },
  { name: 'social', path: '/feed', expect: 'A policy to accept' },
  { name: 'mail', path: '/inbox', expect: 'A policy that cannot be accepted here' },
  { name: 'video', path: '/watch?v=1', expect: 'Warned, with a PIN', code: '274913' },
  { name: 'lab', path: '/wiki/start', expect: 'A policy behind a PIN', code: '8036' },
  {
    name: 'archive',
    path: '/box/12',
    expect: 'Warned, with a passphrase and its own prompt',
    code: 'Grüße aus Köln',
  },
  { name: 'vault', path: '/', expect: 'A lockout: 30 seconds after two wrong PINs', code: '519074' },
  { name: 'weather', path: '/', expect: 'Allowed: no rule' },
]

/** Exempt from inspection in the sample policy, so that it exists only behind the proxy. */
export const EXEMPT_SITE: SampleSite = {
  name: 'bank',
  path: '/accounts',
  expect: 'Allowed and not decrypted: the certificate is that of the site itself',
}

export const PROXIED_SITES: readonly SampleSite[] = [...SAMPLE_SITES, EXEMPT_SITE]

/** The site's host behind the proxy. */
export function proxiedHost({ name }: SampleSite): string {
  return `${name}.example`
}
