// The policy's settings for the proxy as files of plain lines, in the syntax of Squid's access lists.
import { type AddressRange, containsRange, rangeText } from '../../network/address-range.ts'
import { suffixesOf } from '../../network/host.ts'
import type { HostPattern } from '../../network/host-pattern.ts'
import type { Policy } from '../policy/policy.ts'

/** Contents by file name. A line ends with a line feed; a file without entries is empty. */
export function settingsFiles({ inspection, internal, portalNames }: Policy): Readonly<Record<string, string>> {
  const { exempt, exemptDefaults, exemptClients, safesearch, youtube, tenants } = inspection
  return {
    // The engine allows these without a rule: only the proxy can see to it that they lead to the portal.
    'portal-names': lines(unique(portalNames.map(spelled))),
    'exempt-hosts': lines(domainsOf([...exempt, ...exemptDefaults])),
    'exempt-clients': lines(networksOf(exemptClients)),
    internal: lines(networksOf(internal)),
    safesearch: lines(safesearch ? ['on'] : []),
    youtube: lines(youtube === undefined ? [] : [youtube]),
    tenants: lines(
      tenants.flatMap(({ hosts, header, value }) => domainsOf(hosts).map((host) => `${host} ${header} ${value}`)),
    ),
  }
}

/**
 * In the form of Squid's `dstdomain`, sorted. No entry covers another: with "bank.example" next to ".bank.example", Squid
 * does not start.
 */
function domainsOf(patterns: readonly HostPattern[]): readonly string[] {
  const wide = new Set(patterns.filter(({ below }) => below).map(({ host }) => host))
  const covered = ({ host, below }: HostPattern) =>
    suffixesOf(host).some((suffix) => wide.has(suffix) && !(suffix === host && below))
  return unique(patterns.filter((pattern) => !covered(pattern)).map(domainText))
}

function domainText({ host, below }: HostPattern): string {
  return below ? `.${host}` : spelled(host)
}

function spelled(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** No network is in another one: Squid would warn. */
function networksOf(ranges: readonly AddressRange[]): readonly string[] {
  const isCovered = (range: AddressRange) =>
    ranges.some((other) => containsRange(other, range) && !containsRange(range, other))
  return unique(ranges.filter((range) => !isCovered(range)).map(rangeText))
}

function unique(entries: readonly string[]): readonly string[] {
  return [...new Set(entries)].toSorted()
}

function lines(entries: readonly string[]): string {
  return entries.map((entry) => `${entry}\n`).join('')
}
