// `host/path`, as in the "urls" files of UT1 and squidGuard; `host/` is the whole host, and `192.0.2.0/24` a network.
import { isIP } from 'node:net'
import { parseAddressRange, prefixLength } from '../../../../network/address-range.ts'
import { MAXIMUM_HOST_CHARACTERS } from '../../../../network/host.ts'
import type { LineResult, ListEntries } from './entries.ts'
import { COLON, indexOfByte, NUMBER_SIGN, readName, SLASH } from './name.ts'

/** Of a network: fewer would cover a large part of the internet. */
const LEAST_BITS = { 4: 8, 6: 16 }
/** The longest host, `*.` and a port. */
const LONGEST_HOST = MAXIMUM_HOST_CHARACTERS + 10

/**
 * Reads the token from `start` to before `end`, which has a slash.
 * @param slash its first slash
 * @param lineEnd where the line ends
 * @param hasNetworks whether it may be a network
 */
export function readUrl(
  bytes: Buffer,
  start: number,
  slash: number,
  end: number,
  lineEnd: number,
  hasNetworks: boolean,
  entries: ListEntries,
): LineResult {
  if (slash === start || slash - start > LONGEST_HOST) return 'malformed'
  // What follows without a blank is a part of the address that no server gets.
  if (end < lineEnd && bytes[end] === NUMBER_SIGN) return 'skipped'
  const network = hasNetworks ? readNetwork(bytes.toString('latin1', start, end), entries) : undefined
  if (network !== undefined) return network
  let pathEnd = end
  while (bytes[pathEnd - 1] === SLASH && pathEnd > slash) pathEnd--
  const hostEnd = withoutPort(bytes, start, slash)
  if (pathEnd === slash) return readName(bytes, start, hostEnd, 'malformed', entries.addName) ? 'read' : 'malformed'
  const path = { bytes, start: slash, end: pathEnd }
  let result: LineResult = 'malformed'
  const isName = readName(bytes, start, hostEnd, 'malformed', (host, from, to, labels) => {
    // Not a top-level domain: `.zip/path`.
    if (labels > 1 || (host !== bytes && host.includes(COLON))) result = entries.addUrl(host, from, to, labels, path)
  })
  return isName ? result : 'malformed'
}

/** @returns undefined for anything but a network, such as an address with a path: `192.0.2.7/1` */
function readNetwork(text: string, entries: ListEntries): LineResult | undefined {
  const [, address = '', digits] = /^([0-9a-fA-F:.]+)\/([0-9]{1,3})$/.exec(text) ?? []
  const family = digits === undefined ? 0 : isIP(address)
  if (family === 0) return undefined
  const [range, itself] = [parseAddressRange(text), parseAddressRange(address)]
  const isNetwork = range?.words.every((word, index) => word === itself?.words[index])
  if (range === undefined || !isNetwork) return family === 6 ? 'malformed' : undefined
  // Of `::ffff:10.0.0.0/104`, the 8 bits of IPv4.
  const bits = prefixLength(range)
  if (bits === 0) return 'everything'
  if (bits < LEAST_BITS[range.words.length === 1 ? 4 : 6]) return 'malformed'
  entries.addNetwork(range)
  return 'read'
}

function withoutPort(bytes: Buffer, start: number, end: number): number {
  let at = end
  while (at > start && (bytes[at - 1] as number) >= 0x30 && (bytes[at - 1] as number) <= 0x39) at--
  const isPort = at < end && at > start && bytes[at - 1] === COLON
  return isPort && indexOfByte(bytes, COLON, start, end) === at - 1 ? at - 1 : end
}
