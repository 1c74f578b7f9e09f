// The names of headers that a tenant restriction may have.

/** Headers for the connection, the message's framing, its target and cookies: replacing one would change the request. */
const RESERVED =
  /^(connection|content-.*|cookie|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*)$/i

export function isTenantHeader(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(name) && !RESERVED.test(name)
}
