// Path of the interception CA's certificate, which `/ca` offers.
import { section } from '../section.ts'
import { oneOf, path } from '../shapes.ts'

interface CertificateSettings {
  readonly certificate: { readonly inspection: boolean; readonly path: string }
}

export const certificate = section(
  'Interception CA',
  {
    GATEWAY_CAPTIVE_SSL_BUMP: {
      purpose: 'Whether inspection is active, and `/ca` and `/ca.crt` exist.',
      shape: oneOf(['on', 'off']),
      default: 'on',
    },
    GATEWAY_CAPTIVE_CA_PATH: {
      purpose: 'Where the engine publishes the interception CA.',
      shape: path,
      default: '/run/gateway/ca/ca.crt',
    },
  },
  (values): CertificateSettings => ({
    certificate: { inspection: values.GATEWAY_CAPTIVE_SSL_BUMP === 'on', path: values.GATEWAY_CAPTIVE_CA_PATH },
  }),
)
