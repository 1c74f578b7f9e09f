// The key of the signed session cookie, and the environment, which decides whether the key is required.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { section } from '../../settings/section.ts'
import { oneOf, secrets } from '../../settings/shapes.ts'

interface SessionSettings {
  readonly environment: 'production' | 'development'
  /** The first secret signs, both verify. */
  readonly session: { readonly secrets: readonly [string] | readonly [string, string] }
}

export const session = section(
  'Session',
  {
    GATEWAY_CAPTIVE_ENV: {
      purpose: '`production` requires `GATEWAY_CAPTIVE_SECRET_KEY`; `development` generates a key if none is usable.',
      shape: oneOf(['production', 'development']),
      default: 'production',
    },
    GATEWAY_CAPTIVE_SECRET_KEY: {
      purpose: 'Signs session cookies; two during a rotation: the first signs.',
      // Checked below, because only production requires it.
      shape: z.string().describe(`${secrets.description}`),
      defaultNote: 'none; required in production',
      secret: true,
    },
  },
  (values, reading): SessionSettings => {
    const environment = values.GATEWAY_CAPTIVE_ENV
    const keys = secrets.safeParse(values.GATEWAY_CAPTIVE_SECRET_KEY ?? '')
    if (keys.success) return { environment, session: { secrets: keys.data } }
    const isSet = values.GATEWAY_CAPTIVE_SECRET_KEY !== undefined
    const rule = isSet ? keys.error.issues[0]?.message : 'must be set, itself or as GATEWAY_CAPTIVE_SECRET_KEY_FILE'
    if (environment === 'production') reading.problem('GATEWAY_CAPTIVE_SECRET_KEY', `${rule}`)
    else reading.warn(`GATEWAY_CAPTIVE_SECRET_KEY ${rule}; a random key is used until this process ends`)
    return { environment, session: { secrets: [randomBytes(32).toString('base64url')] } }
  },
)
