// The portal's variables that the engine reads, too: the portal's public address and the operator's name. Deployments set them
// once for both. One that is set replaces the key of the file.
import { canonicalAddress } from '../../network/host-and-port.ts'
import { readFileStart } from '../../settings/file.ts'
import { type Environment, startReading } from '../../settings/reading.ts'
import { ORG_NAME } from '../../settings/sections/operator.ts'
import { publicAddress } from '../../settings/sections/public-address.ts'
import type { FileOption } from '../../settings/toml-file.ts'
import { type FileParts, MAXIMUM_ORGANISATION } from './file-shape.ts'

export interface SharedVariables {
  readonly options: readonly FileOption[]
  /** A name of the portal, in addition to the file's. */
  readonly hostname: string | undefined
  readonly problems: readonly string[]
}

/** The portal warns about what does not fit together. */
export function readSharedVariables(env: Environment): SharedVariables {
  const isSet = (name: string) => Boolean(env[name]?.trim())
  const reading = startReading(env, readFileStart)
  const isAddressSet = Object.keys(publicAddress.variables).some(isSet)
  const part = isAddressSet ? publicAddress.read(reading) : undefined
  const address = reading.problems().length === 0 ? part?.publicAddress : undefined
  const organisation = cutToFit(reading.text('GATEWAY_ORG_NAME', ORG_NAME))
  return {
    options: [
      { name: 'GATEWAY_CAPTIVE_BASE_URL', table: 'captive_portal', key: 'base_url', value: address?.baseUrl },
      { name: 'GATEWAY_ORG_NAME', table: 'certificates', key: 'organisation', value: organisation },
    ],
    hostname: isSet('GATEWAY_CAPTIVE_HOSTNAME') && address ? canonicalAddress(address.hostname) : undefined,
    problems: reading.problems(),
  }
}

/** The file's parts, with one more name of the portal. */
export function withHostname(parts: FileParts, name: string | undefined): FileParts {
  const { captive_portal: portal } = parts
  if (portal === undefined || name === undefined) return parts
  return { ...parts, captive_portal: { ...portal, hostnames: [...new Set([name, ...portal.hostnames])] } }
}

/** The name may be longer than X.520 allows. */
function cutToFit(name: string | undefined): string | undefined {
  return name === undefined ? undefined : [...name].slice(0, MAXIMUM_ORGANISATION).join('').trimEnd()
}
