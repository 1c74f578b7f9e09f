// The proxy auto-configuration file, over https only: who changes it on its way sends a device's traffic elsewhere.
import { pacFile, parsePacHost } from '../../network/pac-file.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import type { Services } from '../services.ts'
import type { Config } from '../settings/config.ts'
import type { ShownProxy } from './proxy-steps.ts'

export const PAC_PATH = '/proxy.pac'

/** Undefined where devices need no proxy. */
export function shownProxy({
  deviceProxy,
  publicAddress,
}: Pick<Config, 'deviceProxy' | 'publicAddress'>): ShownProxy | undefined {
  const { address } = deviceProxy
  return address && { ...address, pac: `${publicAddress.baseUrl}${PAC_PATH}` }
}

export function pacRoute({ responses, respond, config }: Pick<Services, 'responses' | 'respond' | 'config'>) {
  const { publicAddress, deviceProxy } = config
  const portal = [publicAddress.hostname, new URL(publicAddress.baseUrl).hostname]
  const direct = [...portal.flatMap((name) => parsePacHost(name) ?? []), ...deviceProxy.direct]
  const file = deviceProxy.address && Buffer.from(pacFile(deviceProxy.address, direct))
  return (exchange: Exchange): Handled =>
    plain(file === undefined ? respond(exchange, { name: 'notFound' }) : responses.pacFile(exchange, 200, [file]))
}
