// Networks in the form in which Squid's access lists mean the same. To Squid an IPv4 address is an IPv6 one (::ffff:0:0/96), so that
// wide IPv6 networks would match IPv4, too; it reads 0.0.0.0/0 as every address, and ::/0 as none.
import { type AddressRange, rangeText, withoutContained } from '../../network/address-range.ts'

/** None within another: Squid ignores a network in which the same acl already has an address. */
export function squidNetworks(ranges: readonly AddressRange[]): readonly string[] {
  return withoutContained(ranges).flatMap(({ words, masks, text }) => {
    if (words.length === 1) return masks[0] === 0 ? ['0.0.0.0/1', '128.0.0.0/1'] : [rangeText({ words, masks, text })]
    const bits = masks.reduce((sum, mask) => sum + Math.clz32(~mask), 0)
    const hasMapped = bits <= 80 && words.every((word) => word === 0)
    return hasMapped ? withoutMapped(bits) : [rangeText({ words, masks, text })]
  })
}

const MAPPED = 0xffffn << 32n

/** The networks of which ::/BITS consists, except ::ffff:0:0/96: of each half, the one that does not have it. */
function withoutMapped(bits: number): readonly string[] {
  return Array.from({ length: 96 - bits }, (_, index) => {
    const prefix = bits + 1 + index
    const hostBits = BigInt(128 - prefix)
    const address = ((MAPPED >> hostBits) ^ 1n) << hostBits
    const groups = address.toString(16).padStart(32, '0').match(/..../g) ?? []
    return `${new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)}/${prefix}`
  })
}
