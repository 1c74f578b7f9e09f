// The pseudonyms of all addresses in networks. Those of 65,536 take half a second of CPU time, and `--follow` needs them each second:
// the last ones are kept for a minute.
import { type AddressRange, addressesOf, rangeText } from '../../network/address-range.ts'
import { startTurn } from '../event-loop.ts'
import { type PseudonymKey, pseudonymOf } from './pseudonyms.ts'

export type NetworkPseudonyms = (
  networks: readonly AddressRange[],
  keys: readonly PseudonymKey[],
) => Promise<ReadonlySet<string>>

/** 65,536 take about 6 MB, and those of a deleted key must not stay. */
const KEPT_MS = 60_000

export function createNetworkPseudonyms(): NetworkPseudonyms {
  let kept: { readonly id: string; readonly pseudonyms: Promise<ReadonlySet<string>> } | undefined
  let expiry: NodeJS.Timeout | undefined
  return (networks, keys) => {
    const id = JSON.stringify([networks.map(rangeText), keys.map(({ id, createdAt }) => [id, createdAt])])
    if (kept?.id !== id) kept = { id, pseudonyms: compute(networks, keys) }
    clearTimeout(expiry)
    expiry = setTimeout(() => {
      kept = undefined
    }, KEPT_MS).unref()
    return kept.pseudonyms
  }
}

async function compute(networks: readonly AddressRange[], keys: readonly PseudonymKey[]): Promise<ReadonlySet<string>> {
  const turn = startTurn()
  const pseudonyms = new Set<string>()
  for (const network of networks) {
    for (const address of addressesOf(network)) {
      if (turn.isOver()) await turn.next()
      for (const key of keys) pseudonyms.add(pseudonymOf(key, 'client', address))
    }
  }
  return pseudonyms
}
