// Domains as Squid's access lists accept them.
import { suffixesOf } from '../network/host.ts'
import type { Domain } from './published.ts'

/** Without those that another one covers: with "bank.example" next to ".bank.example", Squid does not start. */
export function withoutCovered<Entry extends Domain>(domains: readonly Entry[]): readonly Entry[] {
  const wide = new Set(domains.filter(({ below }) => below).map(({ host }) => host))
  return domains.filter(
    ({ host, below }) => !suffixesOf(host).some((suffix) => wide.has(suffix) && !(suffix === host && below)),
  )
}

/** As Squid's `dstdomain` has it: `.bank.example` with all hosts below it, an IPv6 address in brackets. */
export function domainText({ host, below }: Domain): string {
  return below ? `.${host}` : spelled(host)
}

/** An IPv6 address in brackets; other hosts unchanged. */
export function spelled(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
