// Optional data about visitors in ledger and log; off by default. And whether the proxy logs all requests: where both read the same
// `.env`, the portal has its variables, too.
import * as z from 'zod'
import { section } from '../../settings/section.ts'
import { trueOrFalse } from '../../settings/shapes.ts'

/** As far as the portal can know. */
export type ProxyLog = 'on' | 'off' | 'unknown'

interface RecordSettings {
  readonly records: {
    readonly clientAddress: boolean
    readonly logDestination: boolean
    readonly proxyLog: ProxyLog
  }
}

/** The proxy checks it. */
const ofTheProxy = z.string().describe('text')
const SEE = 'See [the proxy](proxy.md#settings): the privacy notice says whether it logs requests'

export const records = section(
  'Records',
  {
    GATEWAY_CAPTIVE_RECORD_CLIENT_ADDRESS: {
      purpose: "Whether the ledger records the visitor's address.",
      shape: trueOrFalse,
      default: 'false',
    },
    GATEWAY_CAPTIVE_LOG_DESTINATION: {
      purpose: 'Whether the audit log names the destination.',
      shape: trueOrFalse,
      default: 'false',
    },
    PROXY_ACCESS_LOG: {
      purpose: `${SEE}.`,
      shape: ofTheProxy,
      defaultNote: '`off` with `PROXY_CLIENTS`; otherwise the portal does not know',
    },
    PROXY_CLIENTS: { purpose: `${SEE}.`, shape: ofTheProxy },
    PROXY_INCLUDE: { purpose: `${SEE}, which this file may change.`, shape: ofTheProxy },
  },
  (values): RecordSettings => ({
    records: {
      clientAddress: values.GATEWAY_CAPTIVE_RECORD_CLIENT_ADDRESS,
      logDestination: values.GATEWAY_CAPTIVE_LOG_DESTINATION,
      proxyLog: proxyLog(values.PROXY_ACCESS_LOG ?? (values.PROXY_CLIENTS && 'off'), values.PROXY_INCLUDE),
    },
  }),
)

/** Directives of the operator may log what the setting does not. */
function proxyLog(setting: string | undefined, include: string | undefined): ProxyLog {
  if (setting === undefined) return 'unknown'
  if (setting !== 'off') return 'on'
  return include === undefined ? 'off' : 'unknown'
}
