// The engine's health document (`GET /healthz` on its control API). It names the key that the engine seals with, so that a
// wrong shared secret is found before a visitor is affected, and what the engine logs, for the privacy notice. The document is
// optional for engines.

const KEY_ID = /^[A-Za-z0-9_-]{8}$/

/** What the engine's log has about visitors, in addition to address, user and rule of each stopped request. */
export interface EngineLog {
  /** Whether it has allowed requests. */
  readonly allowed: boolean
  /** Whether it has the site. */
  readonly hosts: boolean
}

export function healthDocument(keyId: string, { allowed, hosts }: EngineLog): object {
  return { status: 'ok', kid: keyId, log: { allowed, hosts } }
}

/** What such a document says of the engine's log; undefined for any other text. */
export function engineLogOf(body: string): EngineLog | undefined {
  try {
    const { allowed, hosts } = Object(Object(JSON.parse(body)).log)
    return typeof allowed === 'boolean' && typeof hosts === 'boolean' ? { allowed, hosts } : undefined
  } catch {
    return undefined
  }
}

/** The key id in such a document; undefined for any other text. */
export function keyIdOf(body: string): string | undefined {
  try {
    const { kid } = Object(JSON.parse(body))
    return typeof kid === 'string' && KEY_ID.test(kid) ? kid : undefined
  } catch {
    return undefined
  }
}

/** What is wrong if the engine seals with a key that the portal does not have; undefined if nothing is. */
export function keyMismatch(engineKeyId: string, portalKeyIds: readonly string[]): string | undefined {
  if (portalKeyIds.includes(engineKeyId)) return undefined
  return `the engine seals with the key ${engineKeyId}, the portal opens ${portalKeyIds.join(' and ')}: their shared secrets differ`
}
