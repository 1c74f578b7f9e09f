// A proxy of the gateway's benchmark, and what it is started with.
import type { MadeCertificate } from '../../test/support/certificates.ts'
import type { Cores } from '../../test/support/processes.ts'
import type { Server } from '../../test/support/servers.ts'

/** Some need a multiple of their own start to read a million names. */
export const START_SECONDS = 120

/** What the proxies have in common. */
export interface Settings {
  /** For a folder per proxy. */
  readonly folder: string
  readonly cores: Cores | undefined
  /** The length of the list. */
  readonly names: number
  /** With all hosts of requests, for Squid. */
  readonly hostsFile: string
  /** The CA of the origin, with which the peers sign what they decrypt. */
  readonly ca: MadeCertificate
  /** With its certificate. */
  readonly caFile: string
}

/** A started proxy. */
export interface StartedProxy {
  readonly name: string
  /** All its processes; clients connect to the first. */
  readonly servers: readonly [Server, ...Server[]]
  /** What signs decrypted connections, in PEM. */
  readonly ca: string
  /** Undefined for a proxy that allows everything. */
  readonly list: ProxyList | undefined
  /** How many certificates it can make at once; 8 by default. */
  readonly certificatesAtOnce?: number
  /** The file that the shipped proxy has written for Squid. */
  readonly configuration?: string
  /** How many hosts the shipped proxy has asked the engine about so far. */
  readonly hostsAsked?: () => Promise<number>
}

export interface ProxyList {
  /** A file with one name a line. */
  readonly path: string
  /** Of each name. */
  readonly prefix: string
  /** Of the response to a stopped request. */
  readonly status: number
  /** Whether the response ends with the connection instead of a last chunk. */
  readonly endsConnection?: boolean
  /** What the documentation says for a changed list; without it, no change is measured. */
  readonly reload?: () => void
}
