// Variables of portal and proxy that the engine reads, too: the portal's public address, the operator's name, and the networks
// without a sign-in. Deployments set them once for all. One of the portal's that is set replaces the key of the file.
import type { AddressRange } from '../../network/address-range.ts'
import { canonicalAddress } from '../../network/host-and-port.ts'
import { readFileStart } from '../../settings/file.ts'
import { type Environment, startReading } from '../../settings/reading.ts'
import { section } from '../../settings/section.ts'
import { ORG_NAME } from '../../settings/sections/operator.ts'
import { PROXY_AUTH_EXCEPT } from '../../settings/sections/proxy.ts'
import { publicAddress } from '../../settings/sections/public-address.ts'
import type { FileOption } from '../../settings/toml-file.ts'
import { type FileParts, MAXIMUM_ORGANISATION } from './file-shape.ts'

export interface SharedVariables {
  readonly options: readonly FileOption[]
  /** A name of the portal, in addition to the file's. */
  readonly hostname: string | undefined
  /** PROXY_AUTH_EXCEPT: where a report names the user of an address. */
  readonly authExcept: readonly AddressRange[]
  readonly problems: readonly string[]
}

const exceptions = section('Proxy', { PROXY_AUTH_EXCEPT }, ({ PROXY_AUTH_EXCEPT: networks = [] }) => networks)

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
    authExcept: exceptions.read(reading),
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
