// Which hosts a rule matches.

/** A host (`casino.example`), every host below one (`*.casino.example`), or every host (`*`). */
export interface HostPattern {
  readonly host: string
  readonly below: boolean
}

/** Reads a host pattern; a port is ignored. Undefined for anything else. */
export function parseHostPattern(text: string): HostPattern | undefined {
  if (text === '*') return { host: '', below: true }
  const below = text.startsWith('*.')
  const url = URL.parse(`http://${below ? text.slice(2) : text}`)
  if (url === null || /[/?#@\\*\s]/.test(below ? text.slice(2) : text)) return undefined
  return { host: withoutRootDot(url.hostname), below }
}

/** @param host as the URL parser spells it, without a dot at its end */
export function matchesHost(pattern: HostPattern, host: string): boolean {
  if (!pattern.below) return host === pattern.host
  return pattern.host === '' || host.endsWith(`.${pattern.host}`)
}

/** An IPv6 address as it stands alone, from the form that it has in a URL; other hosts unchanged. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

export function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}
