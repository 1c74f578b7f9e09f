// The resources that one request, and one client, may use.

/**
 * Bytes of an ICAP head or an HTTP head. Squid reads 64 KiB of a request's header, and repeats its Proxy-Authorization,
 * a Kerberos ticket for example, in the ICAP head.
 */
export const MAXIMUM_HEAD_BYTES = 128 * 1024

export interface IcapLimits {
  /** For the heads of a request and its preview, and for the first request on a connection. */
  readonly requestMs: number
  /** How long a connection may wait for its next request. */
  readonly idleMs: number
  /** How long a body may pause. */
  readonly bodyPauseMs: number
  /** How long a body may take. */
  readonly bodyMs: number
  /** How much of the body of a stopped request is read, so that the connection can be used again. */
  readonly discardedBytes: number
  /** How long a client has to read the last response before its connection is closed. */
  readonly closingMs: number
  /** How long `stop` waits for requests in flight. */
  readonly stopMs: number
  readonly connections: number
}

export const LIMITS: IcapLimits = {
  requestMs: 10_000,
  idleMs: 300_000,
  bodyPauseMs: 30_000,
  bodyMs: 3_600_000,
  discardedBytes: 16 * 1024 * 1024,
  closingMs: 2_000,
  stopMs: 5_000,
  connections: 2_048,
}
