// The engine's health document (`GET /healthz` on its control API). It names the key that the engine seals with, so that a
// wrong shared secret is found before a visitor is affected. The document is optional for engines.

const KEY_ID = /^[A-Za-z0-9_-]{8}$/

export function engineHealth(keyId: string): object {
  return { status: 'ok', kid: keyId }
}

/** The key id in such a document; undefined for any other text. */
export function keyIdOf(body: string): string | undefined {
  try {
    const { kid } = Object(JSON.parse(body))
    return typeof kid === 'string' && isKeyId(kid) ? kid : undefined
  } catch {
    return undefined
  }
}

export function isKeyId(text: string): boolean {
  return KEY_ID.test(text)
}

/** What is wrong if the engine seals with a key that the portal does not have; undefined if nothing is. */
export function keyMismatch(engineKeyId: string, portalKeyIds: readonly string[]): string | undefined {
  if (portalKeyIds.includes(engineKeyId)) return undefined
  return `the engine seals with the key ${engineKeyId}, the portal opens ${portalKeyIds.join(' and ')}: their shared secrets differ`
}
