// What is exempt from inspection: hosts and clients whose connections the proxy does not decrypt. Over https it shows no page
// for them and sees no path.
import { readFileSync } from 'node:fs'
import { type AddressRange, addressWords, isInRange } from '../../network/address-range.ts'
import { type HostPattern, overlap, parseHostPattern } from '../../network/host-pattern.ts'
import type { Client } from '../request/client.ts'
import type { Inspection } from './inspection.ts'

export interface Exemption {
  /** The key of `[inspection]` that names it. */
  readonly by: 'exempt' | 'exempt_defaults' | 'exempt_clients'
  /** The host or the network, as written there. */
  readonly entry: string
}

/** The hosts of default-exemptions.txt, which is part of the program and read once. */
export const DEFAULT_EXEMPTIONS = readDefaults()

/** @param host canonical */
export function findExemption(inspection: Inspection, host: string, client: Client): Exemption | undefined {
  const itself: HostPattern = { host, itself: true, below: false, network: undefined, path: undefined, text: host }
  const isOf = (pattern: HostPattern) => overlap(itself, pattern)
  const address = addressWords(client.address)
  const range = inspection.exemptClients.find((one: AddressRange) => isInRange(one, address))
  if (range !== undefined) return { by: 'exempt_clients', entry: range.text }
  const own = inspection.exempt.find(isOf)
  if (own !== undefined) return { by: 'exempt', entry: own.text }
  const shipped = inspection.exemptDefaults.find(isOf)
  return shipped && { by: 'exempt_defaults', entry: shipped.text }
}

function readDefaults(): readonly HostPattern[] {
  const lines = readFileSync(new URL('default-exemptions.txt', import.meta.url), 'utf8').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const pattern = parseHostPattern(line)
      if (pattern === undefined) throw new Error(`default-exemptions.txt: not a host: ${line}`)
      return pattern
    })
}
