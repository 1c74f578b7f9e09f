// The operator's acceptable use policy, and the version that acceptances are recorded against.
import { section } from './section.ts'
import { line, path, trueOrFalse } from './shapes.ts'

interface PolicySettings {
  readonly policy: { readonly enabled: boolean; readonly path: string; readonly version: string }
}

export const policy = section(
  'Acceptable use policy',
  {
    GATEWAY_CAPTIVE_AUP_ENABLED: {
      purpose: "Whether `/aup` shows the operator's Markdown instead of the built-in text.",
      shape: trueOrFalse,
      default: 'false',
    },
    GATEWAY_CAPTIVE_AUP_PATH: {
      purpose:
        "The operator's Markdown, in the language of `GATEWAY_CAPTIVE_LOCALE`. For another supported language, `aup.fr.md` in the same folder is shown if it exists; see [aup.md](aup.md).",
      shape: path,
      default: '/etc/gateway-captive/aup.md',
    },
    PRIVACY_POLICY_VERSION: {
      purpose: 'Version that is recorded with each acceptance.',
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
