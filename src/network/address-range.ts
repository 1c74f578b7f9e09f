// Addresses and networks (CIDR).
import { isIPv4 } from 'node:net'
import { parseAddress } from './address.ts'

export interface AddressRange {
  /** One word of 32 bits for IPv4, four for IPv6, with the bits beyond the prefix cleared. */
  readonly words: readonly number[]
  readonly masks: readonly number[]
  /** As written in the file. */
  readonly text: string
}

const FULL = 0xffffffff

/** Reads an address or a network; undefined for anything else. IPv4-mapped IPv6 is IPv4. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, given = '', digits] = /^([^/]*)(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text) ?? []
  const address = parseAddress(given)
  if (address === undefined) return undefined
  const words = addressWords(address)
  const mapped = !isIPv4(given) && words.length === 1 ? 96 : 0
  const bits = digits === undefined ? words.length * 32 : Number(digits) - mapped
  if (bits < 0 || bits > words.length * 32) return undefined
  const masks = words.map((_, index) => maskOf(bits - index * 32))
  return { words: words.map((word, index) => (word & (masks[index] ?? 0)) >>> 0), masks, text }
}

/** A canonical address as words of 32 bits. */
export function addressWords(address: string): readonly number[] {
  if (!address.includes(':')) {
    return [address.split('.').reduce((word, byte) => ((word << 8) | Number(byte)) >>> 0, 0)]
  }
  const [head = '', tail] = address.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const left = groups(head)
  const right = groups(tail ?? '')
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
  return [0, 2, 4, 6].map((index) => (((all[index] ?? 0) << 16) | (all[index + 1] ?? 0)) >>> 0)
}

/** @param address as `addressWords` returns it */
export function isInRange({ words, masks }: AddressRange, address: readonly number[]): boolean {
  if (words.length !== address.length) return false
  for (let index = 0; index < words.length; index++) {
    if (((address[index] ?? 0) & (masks[index] ?? 0)) >>> 0 !== words[index]) return false
  }
  return true
}

/** In bits. */
export function prefixLength({ masks }: Pick<AddressRange, 'masks'>): number {
  return masks.reduce((sum, mask) => sum + Math.clz32(~mask), 0)
}

/** In canonical form: `10.1.2.3`, `10.0.0.0/8`, `2001:db8::/32`. */
export function rangeText({ words, masks }: AddressRange): string {
  const bits = prefixLength({ masks })
  const address = words.length === 1 ? bytesOf(words[0] ?? 0).join('.') : ipv6Text(words)
  return bits === words.length * 32 ? address : `${address}/${bits}`
}

/** Whether every address of the inner range is in the outer one. */
export function containsRange(outer: AddressRange, inner: AddressRange): boolean {
  const isAsNarrow = outer.masks.every((mask, index) => ((inner.masks[index] ?? 0) & mask) >>> 0 === mask)
  return isAsNarrow && isInRange(outer, inner.words)
}

/** How many addresses it has. */
export function addressCount({ words, masks }: Pick<AddressRange, 'words' | 'masks'>): number {
  return 2 ** (words.length * 32 - prefixLength({ masks }))
}

/** In ascending order. @param range with at most 2^32 addresses */
export function* addressesOf(range: AddressRange): Generator<string> {
  const { words } = range
  const last = words.length - 1
  const masks = words.map(() => FULL)
  const size = addressCount(range)
  for (let offset = 0; offset < size; offset++) {
    yield rangeText({ words: words.with(last, (words[last] ?? 0) + offset), masks, text: '' })
  }
}

/** Without those that another one contains, in ascending order. */
export function withoutContained(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const kept: AddressRange[] = []
  for (const range of ranges.toSorted(compareRanges)) {
    const last = kept.at(-1)
    if (last === undefined || !containsRange(last, range)) kept.push(range)
  }
  return kept
}

/**
 * @param sorted as `withoutContained` returns them
 * @param address as `addressWords` returns it
 */
export function isInOneOf(sorted: readonly AddressRange[], address: readonly number[]): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareWords((sorted[middle] as AddressRange).words, address) <= 0) low = middle + 1
    else high = middle
  }
  const last = sorted[low - 1]
  return last !== undefined && isInRange(last, address)
}

/** IPv4 first, by their first address, wider ones first. */
function compareRanges(one: AddressRange, other: AddressRange): number {
  return compareWords(one.words, other.words) || compareWords(one.masks, other.masks)
}

function compareWords(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return one.length - other.length
  for (let index = 0; index < one.length; index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Whether a connection comes from one of these ranges; without ranges, from anywhere. */
export function isFromOneOf(ranges: readonly AddressRange[] | undefined, remoteAddress: string | undefined): boolean {
  if (ranges === undefined) return true
  const address = parseAddress(remoteAddress ?? '')
  const words = address === undefined ? [] : addressWords(address)
  return ranges.some((range) => isInRange(range, words))
}

/** The mask with this many leading ones; none for a negative number. */
function maskOf(bits: number): number {
  if (bits <= 0) return 0
  return bits >= 32 ? FULL : (0xffffffff << (32 - bits)) >>> 0
}

function bytesOf(word: number): readonly number[] {
  return [word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff]
}

function ipv6Text(words: readonly number[]): string {
  const groups = words.flatMap((word) => [word >>> 16, word & 0xffff]).map((group) => group.toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
