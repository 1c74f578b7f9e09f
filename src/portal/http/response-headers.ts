// The headers of the portal's own responses: one constant set per kind (protocol v1, section 1).

export type Headers = Readonly<Record<string, string>>

/** One set per kind of response. */
export interface ResponseHeaders {
  readonly page: Headers
  readonly certificatePage: Headers
  readonly certificateFile: Headers
  readonly logo: Headers
  readonly pacFile: Headers
  readonly frameNotice: Headers
  readonly problem: Headers
  readonly empty: Headers
  readonly redirect: Headers
  readonly health: Headers
}

export interface HeaderOptions {
  readonly versionLabel: string
  /** Whether the portal's public address is https. */
  readonly secure: boolean
  readonly styleSource: string
  readonly noticeStyleSource: string
  readonly scriptSources: readonly string[]
  readonly certificatePageSources: { readonly styles: readonly string[]; readonly scripts: readonly string[] }
  /** The portal's origin. */
  readonly baseUrl: string
}

const PERMISSIONS_OFF = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

export function buildHeaders(options: HeaderOptions): ResponseHeaders {
  /** Responses that other sites may frame have only these. */
  const framed: Headers = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // Browsers log an error about it over plain http, where it has no effect.
    ...(options.secure && { 'cross-origin-opener-policy': 'same-origin' }),
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': [...PERMISSIONS_OFF.map((feature) => `${feature}=()`), 'clipboard-write=(self)'].join(', '),
    'x-robots-tag': 'noindex',
    'cache-control': 'no-store',
    'x-portal-version': options.versionLabel,
  }
  // For browsers that do not support `frame-ancestors`.
  const common: Headers = { ...framed, 'x-frame-options': 'DENY' }
  const markup: Headers = {
    'content-type': 'text/html; charset=utf-8',
    vary: 'Accept-Language, Cookie, Sec-Fetch-Dest',
  }
  const page: Headers = { ...common, ...markup }
  const pagePolicy = (styles: readonly string[], scripts: readonly string[], connect: string) =>
    contentSecurityPolicy({
      'default-src': "'none'",
      'style-src': styles.join(' '),
      'script-src': scripts.join(' '),
      // The icon is a data URL, the logo has an address.
      'img-src': "'self' data:",
      'connect-src': connect,
      'base-uri': "'none'",
      // No page has a form: browsers would apply this to the engine's redirect, too.
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
  const { styles, scripts } = options.certificatePageSources
  return {
    page: {
      ...page,
      // The Unlock button uses fetch.
      'content-security-policy': pagePolicy([options.styleSource], options.scriptSources, "'self'"),
    },
    certificatePage: {
      ...page,
      vary: `${page.vary}, User-Agent, Sec-CH-UA-Platform`,
      // Over plain http, 'self' is not the https origin that the trust test requests.
      'content-security-policy': pagePolicy(styles, scripts, `'self' ${options.baseUrl}`),
    },
    certificateFile: { ...common, 'cache-control': 'no-cache' },
    // Opened by itself, an SVG image is a document.
    logo: {
      ...common,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
    pacFile: { ...common, 'content-type': 'application/x-ns-proxy-autoconfig', 'cache-control': 'max-age=300' },
    frameNotice: {
      ...framed,
      ...markup,
      'content-security-policy': contentSecurityPolicy({
        'default-src': "'none'",
        'style-src': options.noticeStyleSource,
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': '*',
      }),
    },
    problem: { ...common, 'content-type': 'application/problem+json', vary: page.vary as string },
    empty: common,
    redirect: common,
    // The trust test: the certificate page, loaded over plain http, fetches this over https.
    health: {
      ...common,
      'content-type': 'application/json',
      'cross-origin-resource-policy': 'cross-origin',
    },
  }
}

function contentSecurityPolicy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
