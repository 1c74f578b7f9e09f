// The secret that engine and portal share, and the keys derived from it (protocol v1, section 1).
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** One secret's content key, and its id. */
export interface PayloadKey {
  readonly kid: string
  readonly key: KeyObject
  /** The header of payloads that it seals, as base64url. */
  readonly header: string
}

/** The key that seals, and every key that opens (two during a rotation), by key id. */
export interface Keyring {
  readonly sealing: PayloadKey
  readonly opening: ReadonlyMap<string, PayloadKey>
}

const MINIMUM_CHARACTERS = 32
const EXAMPLE_VALUE =
  /change[-_ ]?me|replace[-_ ]?me|your[-_ ]?secret|example[-_ ]?secret|secret[-_ ]?example|^(.)\1*$/i

/**
 * Splits the text of a secret variable or file into its one or two secrets, the sealing one first.
 * @throws {RangeError} with the broken rule as its message; never with a part of the secret
 */
export function parseSecrets(text: string): [string] | [string, string] {
  const [first, second, ...more] = text.split(/\s+/u).filter((part) => part !== '')
  if (first === undefined) throw new RangeError('must not be empty')
  if (more.length > 0) throw new RangeError('must hold at most two secrets, separated by white space')
  for (const secret of second === undefined ? [first] : [first, second]) {
    if ([...secret].length < MINIMUM_CHARACTERS) {
      throw new RangeError(`must have ${MINIMUM_CHARACTERS} or more characters in each secret`)
    }
    if (EXAMPLE_VALUE.test(secret)) throw new RangeError('must not be an example value')
  }
  if (first === second) throw new RangeError('must not hold the same secret twice')
  return second === undefined ? [first] : [first, second]
}

/** Derives the keys of one or two secrets; the first one seals. */
export function deriveKeyring(secrets: readonly [string] | readonly [string, string]): Keyring {
  const keys = secrets.map(deriveKey)
  const [sealing] = keys as [PayloadKey]
  return { sealing, opening: new Map(keys.map((key) => [key.kid, key])) }
}

function deriveKey(secret: string): PayloadKey {
  const derive = (info: string, length: number) => Buffer.from(hkdfSync('sha256', secret, '', info, length))
  const kid = derive('gateway-captive/kid/v1', 6).toString('base64url')
  return {
    kid,
    key: createSecretKey(derive('gateway-captive/payload/v1', 32)),
    header: Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid })).toString('base64url'),
  }
}
