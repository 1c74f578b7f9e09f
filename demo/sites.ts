// The sample sites of the demo: one for every case of the engine's sample policy.

export interface SampleSite {
  /** The first label of its host: the small gateway serves NAME.localhost, the proxy forwards to NAME.example. */
  readonly name: string
  /** Path and query that the list links to. */
  readonly path: string
  /** What will happen: a sentence without its full stop, which the code follows. */
  readonly expect: string
  readonly code?: string
}

export const SAMPLE_SITES: readonly SampleSite[] = [
  { name: 'casino', path: '/roulette?table=7', expect: 'You are blocked: the page says why, and whom to ask' },
  { name: 'weapons', path: '/catalogue/2026', expect: 'You are blocked, and the reason is a long one' },
  { name: 'news', path: '/today', expect: 'You are warned, and can go on to the site' },
  { name: 'filesharing', path: '/d/4711', expect: 'You are warned, and cannot go on, but can ask for access' },
  { name: 'social', path: '/feed', expect: 'You accept a policy, and go on to the site' },
  { name: 'mail', path: '/inbox', expect: 'You read a policy that cannot be accepted here' },
  { name: 'video', path: '/watch?v=1', expect: 'You are warned, and go on with a PIN', code: '274913' },
  { name: 'lab', path: '/wiki/start', expect: 'You accept a policy, and go on with a PIN', code: '8036' },
  {
    name: 'archive',
    path: '/box/12',
    expect: 'You are warned, and go on with the passphrase of the reading room',
    code: 'Grüße aus Köln',
  },
  {
    name: 'vault',
    path: '/',
    expect: 'You are locked out for 30 seconds after two wrong PINs; the right one',
    code: '519074',
  },
  { name: 'weather', path: '/', expect: 'You reach the site at once: no rule is about it' },
]

/** Exempt from inspection in the sample policy, so that it exists only behind the proxy. */
export const EXEMPT_SITE: SampleSite = {
  name: 'bank',
  path: '/accounts',
  expect: 'You reach the site at once, and its connection is not decrypted',
}

export const PROXIED_SITES: readonly SampleSite[] = [...SAMPLE_SITES, EXEMPT_SITE]

/** The site's host behind the proxy. */
export function proxiedHost({ name }: SampleSite): string {
  return `${name}.example`
}
