// The requests of a load, as a browser sends them.
import type { Visit } from '../../test/support/load/client.ts'
import { requestBytes } from '../requests.ts'

/** Requests, each with the connection on which it is sent: its index modulo the connections, or its visit. */
export interface ProxyRequests {
  readonly requests: readonly Buffer[]
  readonly isListed: readonly boolean[]
  readonly isDecrypted: boolean
  /** The host of each connection; empty with visits. */
  readonly hosts: readonly string[]
  readonly visits?: readonly Visit[]
}

const HEADERS = {
  'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-GB,en;q=0.9',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Site': 'cross-site',
}

export function pageRequest(host: string, index: number, isDecrypted: boolean): Buffer {
  const path = `/section-${index % 97}/page?id=${index}&from=mail`
  return requestBytes({ target: isDecrypted ? path : `http://${host}${path}`, headers: { Host: host, ...HEADERS } })
}
