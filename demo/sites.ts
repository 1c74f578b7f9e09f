// The sample sites of the demo: one for every case of the engine's sample policy.

export interface SampleSite {
  readonly host: string
  /** Path and query that the list links to. */
  readonly path: string
  readonly expect: string
  readonly code?: string
}

export const SAMPLE_SITES: readonly SampleSite[] = [
  { host: 'casino.localhost', path: '/roulette?table=7', expect: 'Blocked' },
  { host: 'weapons.localhost', path: '/catalogue/2026', expect: 'Blocked, with a long description' },
  { host: 'news.localhost', path: '/today', expect: 'Warned, with a way on' },
  { host: 'filesharing.localhost', path: '/d/4711', expect: 'Warned, no way on' },
  { host: 'social.localhost', path: '/feed', expect: 'A policy to accept' },
  { host: 'mail.localhost', path: '/inbox', expect: 'A policy that cannot be accepted here' },
  { host: 'video.localhost', path: '/watch?v=1', expect: 'Warned, with a PIN', code: '274913' },
  { host: 'lab.localhost', path: '/wiki/start', expect: 'A policy behind a PIN', code: '8036' },
  {
    host: 'archive.localhost',
    path: '/box/12',
    expect: 'Warned, with a passphrase and its own prompt',
    code: 'Grüße aus Köln',
  },
  { host: 'vault.localhost', path: '/', expect: 'A lockout: 30 seconds after two wrong PINs', code: '519074' },
  { host: 'weather.localhost', path: '/', expect: 'Allowed: no rule' },
]
