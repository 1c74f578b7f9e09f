// Optional data about visitors in ledger and log; off by default.
import { section } from '../../settings/section.ts'
import { trueOrFalse } from '../../settings/shapes.ts'

interface RecordSettings {
  readonly records: { readonly clientAddress: boolean; readonly logDestination: boolean }
}

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
  },
  (values): RecordSettings => ({
    records: {
      clientAddress: values.GATEWAY_CAPTIVE_RECORD_CLIENT_ADDRESS,
      logDestination: values.GATEWAY_CAPTIVE_LOG_DESTINATION,
    },
  }),
)
