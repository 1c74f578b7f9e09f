// The policy's settings for the proxy.
import { withoutContained } from '../../network/address-range.ts'
import type { HostPattern } from '../../network/host-pattern.ts'
import { domainText, spelled, withoutCovered } from '../../published/domains.ts'
import type { Domain, Published } from '../../published/published.ts'
import type { Policy } from '../policy/policy.ts'
import type { RuledHosts } from './ruled-hosts.ts'

/**
 * Sorted, and without what another entry covers.
 * @param portalNames canonical
 * @param ruledHosts for this policy
 */
export function publishedSettings(
  { inspection, internal }: Policy,
  portalNames: readonly string[],
  ruledHosts: Pick<RuledHosts, 'every'>,
): Published {
  const { exempt, exemptDefaults, exemptClients, safesearch, youtube, tenants } = inspection
  return {
    portalNames: unique(portalNames, spelled),
    exemptHosts: domainsOf([...exempt, ...exemptDefaults]),
    exemptClients: withoutContained(exemptClients),
    internal: withoutContained(internal),
    safesearch,
    youtube,
    tenants: tenants.flatMap(({ hosts, header, value }) =>
      domainsOf(hosts).map((domain) => ({ domain, header, value })),
    ),
    ruledHosts: ruledHosts.every === undefined ? 'some' : 'every',
  }
}

function domainsOf(patterns: readonly HostPattern[]): readonly Domain[] {
  return unique(withoutCovered(patterns), domainText).map(({ host, below }) => ({ host, below }))
}

function unique<Entry>(entries: readonly Entry[], text: (entry: Entry) => string): readonly Entry[] {
  const byText = new Map(entries.map((entry) => [text(entry), entry]))
  return [...byText.keys()].toSorted().map((key) => byText.get(key) as Entry)
}
