// Removes hop-by-hop headers from the engine's response (RFC 9110, section 7.6.1).

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Raw headers (name, value, name, value, …) without the hop-by-hop ones; the others in order, byte for byte. */
export function endToEndHeaders(raw: readonly string[]): string[] {
  const dropped = new Set(HOP_BY_HOP)
  for (const [name, value] of pairs(raw)) {
    if (name.toLowerCase() !== 'connection') continue
    for (const option of value.split(',')) dropped.add(option.trim().toLowerCase())
  }
  // `Connection: location` must not remove the redirect's target.
  dropped.delete('location')
  return pairs(raw)
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flat()
}

/** The values of one header, in order. */
export function headerValues(raw: readonly string[], wanted: string): string[] {
  return pairs(raw)
    .filter(([name]) => name.toLowerCase() === wanted)
    .map(([, value]) => value)
}

function pairs(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2] as string, raw[index * 2 + 1] as string])
}
