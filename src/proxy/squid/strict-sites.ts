// SafeSearch, YouTube's restricted mode and tenant restrictions as Squid's directives.
import { domainText } from '../../published/domains.ts'
import type { Published } from '../../published/published.ts'

interface SearchEngine {
  readonly name: string
  /** The host that has only the strict version, or its address. */
  readonly strictHost: string
  /** A name that its certificate has. */
  readonly certificateName: string
  /** Which hosts it serves: the type of an acl, and its values. */
  readonly hosts: string
}

/**
 * The same as the DNS override that the search engines document: their names lead to the host that has only the strict version.
 * Squid resolves that host itself, whatever address the visitor uses, and without it no search works.
 */
const SEARCH_ENGINES: readonly SearchEngine[] = [
  // https://support.google.com/websearch/answer/186669
  {
    name: 'google',
    strictHost: 'forcesafesearch.google.com',
    certificateName: 'www.google.com',
    hosts: 'dstdom_regex -n -i ^www\\.google\\.((com?\\.)?[a-z][a-z]|com|cat)$',
  },
  // https://learn.microsoft.com/deployedge/bing-safesearch
  {
    name: 'bing',
    strictHost: 'strict.bing.com',
    certificateName: 'www.bing.com',
    hosts: 'dstdomain -n bing.com www.bing.com edgeservices.bing.com',
  },
  // https://duckduckgo.com/duckduckgo-help-pages/features/safe-search
  {
    name: 'duckduckgo',
    strictHost: 'safe.duckduckgo.com',
    certificateName: 'duckduckgo.com',
    hosts: 'dstdomain -n duckduckgo.com www.duckduckgo.com start.duckduckgo.com',
  },
  // https://search.brave.com/help/safesearch
  {
    name: 'brave',
    strictHost: 'forcesafe.search.brave.com',
    certificateName: 'search.brave.com',
    hosts: 'dstdomain -n search.brave.com',
  },
  // https://pixabay.com/blog/posts/block-adult-content-on-pixabay-at-your-school-or-w-140/
  {
    name: 'pixabay',
    strictHost: 'safesearch.pixabay.com',
    certificateName: 'pixabay.com',
    hosts: 'dstdomain -n pixabay.com www.pixabay.com',
  },
  // https://yandex.ru/support/search/schoolsearch.xml#hosts names only the address.
  {
    name: 'yandex',
    strictHost: '213.180.193.56',
    certificateName: 'yandex.ru',
    hosts: 'dstdom_regex -n -i ^(www\\.)?(ya\\.ru|yandex\\.((co|com)\\.)?[a-z][a-z]|yandex\\.com)$',
  },
]

// https://support.google.com/a/answer/6214622
const YOUTUBE = 'www.youtube.com m.youtube.com youtubei.googleapis.com youtube.googleapis.com www.youtube-nocookie.com'

/** With the lowest version alone, Squid reports an unknown option. */
const TLS = 'tls tls-min-version=1.2 tls-options=NO_SSLv3'

/** @param originCa a file with further CAs */
export function strictSites(
  { safesearch, youtube, tenants }: Published,
  originCa: string | undefined,
): readonly string[] {
  return [
    ...(safesearch ? ['acl over_tls proto HTTPS'] : []),
    ...(safesearch ? SEARCH_ENGINES.flatMap((engine) => strictVersion(engine, originCa)) : []),
    ...(youtube === undefined ? [] : restrictedYoutube(youtube === 'strict' ? 'Strict' : 'Moderate')),
    ...tenants.flatMap(tenantRestriction),
  ]
}

function strictVersion({ name, strictHost, certificateName, hosts }: SearchEngine, originCa: string | undefined) {
  const cafile = originCa === undefined ? '' : ` tls-cafile=${originCa}`
  const peer = 'no-query no-digest no-netdb-exchange originserver'
  return [
    `acl ${name} ${hosts}`,
    `cache_peer ${strictHost} parent 443 0 ${peer} ${TLS} ssldomain=${certificateName}${cafile} name=${name}_https`,
    `cache_peer ${strictHost} parent 80 0 ${peer} name=${name}_http`,
    `acl ${name}_over_tls all-of ${name} over_tls`,
    `cache_peer_access ${name}_https allow ${name}_over_tls !is_connect`,
    `cache_peer_access ${name}_https deny all`,
    `cache_peer_access ${name}_http allow ${name} !over_tls !is_connect`,
    `cache_peer_access ${name}_http deny all`,
    `never_direct allow ${name} !is_connect`,
  ]
}

function restrictedYoutube(level: string): readonly string[] {
  return [`acl youtube dstdomain -n ${YOUTUBE}`, ...replacedHeader('YouTube-Restrict', level, 'youtube')]
}

function tenantRestriction({ domain, header, value }: Published['tenants'][number], index: number): readonly string[] {
  const name = `tenant${index + 1}`
  // In quotes it is a format, in which %% is a percent sign. After `--`, a host may begin with a hyphen.
  const format = `"${value.replaceAll('%', '%%')}"`
  return [`acl ${name} dstdomain -n -- ${domainText(domain)}`, ...replacedHeader(header, format, name)]
}

/** Instead of what the visitor sends. */
function replacedHeader(header: string, value: string, hosts: string): readonly string[] {
  return [`request_header_access ${header} deny ${hosts}`, `request_header_add ${header} ${value} ${hosts}`]
}
