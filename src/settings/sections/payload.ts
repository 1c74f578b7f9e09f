// The key that opens a verdict's payload, and the replay window (protocol v1, section 1).
import { deriveKeyring, type Keyring } from '../../contract/secret.ts'
import { section } from '../section.ts'
import { secrets, wholeNumber } from '../shapes.ts'

interface PayloadSettings {
  readonly payload: { readonly keyring: Keyring; readonly maxAgeSeconds: number }
}

export const payload = section(
  'Payload',
  {
    GATEWAY_CAPTIVE_SHARED_SECRET: {
      purpose: 'Secret shared with the engine (its `[captive_portal].secret`); two during a rotation.',
      shape: secrets,
      required: true,
      secret: true,
    },
    ENGINE_SIGNATURE_MAX_AGE_SECONDS: {
      purpose: "Replay window: for how many seconds a verdict's page is shown.",
      shape: wholeNumber(1, 86_400),
      default: '300',
    },
  },
  (values): PayloadSettings => ({
    payload: {
      keyring: deriveKeyring(values.GATEWAY_CAPTIVE_SHARED_SECRET),
      maxAgeSeconds: values.ENGINE_SIGNATURE_MAX_AGE_SECONDS,
    },
  }),
)
