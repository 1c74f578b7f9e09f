// The portal to which verdicts lead. A reload does not change it: that needs a restart.
import type { Keyring } from '../contract/secret.ts'

export interface PortalIdentity {
  /** Its public address, an origin without a slash at its end. */
  readonly baseUrl: string
  /** Its names and addresses, that of the base URL first; canonical. */
  readonly names: readonly string[]
  readonly keyring: Keyring
}

/** Whether it is one of the portal's own names, to which no rule applies: redirecting the portal to the portal is a loop. */
export function isPortalName({ names }: Pick<PortalIdentity, 'names'>, host: string): boolean {
  return names.includes(host)
}
