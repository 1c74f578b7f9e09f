// dnsmasq's configuration: `address=/name/address` and `server=/name/` stop names; `server=/name/address` forwards their look-ups.
// `local=` is another word for `server=`.
import type { LineResult, ListEntries } from './entries.ts'
import { indexOfByte, isNext, NUMBER_SIGN, readName, SLASH, skipBlanks } from './name.ts'

const [ADDRESS, LOCAL, SERVER, ...OTHERS] = ['address=', 'local=', 'server=', 'ipset=', 'nftset='].map((one) =>
  Buffer.from(one),
) as [Buffer, Buffer, Buffer, ...Buffer[]]

/** @returns undefined for a line of another format */
export function readDnsmasq(bytes: Buffer, start: number, end: number, entries: ListEntries): LineResult | undefined {
  const isBeginning = (option: Uint8Array) => isNext(bytes, start, end, option)
  if (OTHERS.some(isBeginning)) return 'skipped'
  const option = [ADDRESS, LOCAL, SERVER].find(isBeginning)
  if (option === undefined) return undefined
  const first = start + option.length
  let stop = first
  while (stop < end && bytes[stop] !== 0x20 && bytes[stop] !== 0x09) stop++
  const after = skipBlanks(bytes, stop, end)
  if (after < end && bytes[after] !== NUMBER_SIGN) return 'malformed'
  const isServer = option !== ADDRESS
  if (bytes[first] !== SLASH) return isServer ? 'skipped' : 'malformed'
  let last = stop - 1
  while (bytes[last] !== SLASH) last--
  if (last === first) return 'malformed'
  if (isServer && last + 1 < stop) return 'skipped'
  let result: LineResult = 'read'
  for (let from = first + 1; from <= last; ) {
    const to = indexOfByte(bytes, SLASH, from, last)
    if (to - from === 1 && bytes[from] === NUMBER_SIGN) return 'everything'
    if (!readName(bytes, from, to, 'read', entries.addName)) result = 'malformed'
    from = to + 1
  }
  return result
}
