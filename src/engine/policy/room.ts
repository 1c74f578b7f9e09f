// A room: a name for networks, declared once in the policy and used by rules and by gatewayctl.
import { type AddressRange, isInRange, rangeText } from '../../network/address-range.ts'

export interface Room {
  readonly name: string
  /** At least one. */
  readonly networks: readonly AddressRange[]
}

/** @param address as `addressWords` returns it */
export function isInRoom({ networks }: Room, address: readonly number[]): boolean {
  return networks.some((network) => isInRange(network, address))
}

/** An address in the room, canonical: of a network, the first that is not the network's own. */
export function exampleAddress({ networks: [network] }: Room): string | undefined {
  if (network === undefined) return undefined
  const words = network.words.map((word, index) => {
    const isLast = index === network.words.length - 1
    return isLast && network.masks[index] !== 0xffffffff ? (word | 1) >>> 0 : word
  })
  return rangeText({ ...network, words, masks: words.map(() => 0xffffffff) })
}
