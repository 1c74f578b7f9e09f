// The operator's acceptable use policy, and the version that is recorded with acceptances.
import { dirname, resolve } from 'node:path'
import type { Reading } from '../reading.ts'
import { section } from '../section.ts'
import { line, path, trueOrFalse } from '../shapes.ts'

export interface PolicySettings {
  readonly policy: { readonly enabled: boolean; readonly path: string; readonly version: string }
}

const AUP_PATH = {
  purpose: "The operator's Markdown in the default language ([others](aup.md#languages)).",
  shape: path,
  default: '/etc/gateway-captive/aup.md',
}

export const policy = section(
  'Acceptable use policy',
  {
    GATEWAY_CAPTIVE_AUP_ENABLED: {
      purpose: "Whether `/aup` shows the operator's Markdown instead of the built-in text.",
      shape: trueOrFalse,
      default: 'false',
    },
    GATEWAY_CAPTIVE_AUP_PATH: AUP_PATH,
    PRIVACY_POLICY_VERSION: {
      purpose: 'Version recorded with each acceptance.',
      shape: line(100),
      default: '2026-11-20',
    },
  },
  (values): PolicySettings => ({
    policy: {
      enabled: values.GATEWAY_CAPTIVE_AUP_ENABLED,
      path: values.GATEWAY_CAPTIVE_AUP_PATH,
      version: values.PRIVACY_POLICY_VERSION,
    },
  }),
)

/** The folder of all files that the operator writes. */
export function policyFolder(reading: Reading): string {
  return dirname(resolve(reading.text('GATEWAY_CAPTIVE_AUP_PATH', AUP_PATH) ?? AUP_PATH.default))
}
