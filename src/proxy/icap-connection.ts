// A connection to the engine's ICAP listener: the proxy's own, and those of the helper that Squid runs.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface IcapAddress {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

/** @param authorities CAs, PEM, one of which must have issued the certificate of an `icaps://` service */
export function connectIcap({ host, port, isTls }: IcapAddress, authorities: string): Socket {
  if (!isTls) return connect({ host, port })
  return connectTls({ host, port, ca: authorities, ...(isIP(host) === 0 && { servername: host }) })
}
