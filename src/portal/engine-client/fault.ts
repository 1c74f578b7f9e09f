// Why a request to the engine failed, with what to do about it: for the log, /readyz and gatewayctl. Node's own messages
// suggest options of Node, which the portal does not have.

const UNTRUSTED =
  /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?|CERT_(UNTRUSTED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_CA|INVALID_PURPOSE)$/
const WRONG_DATE = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/
const NO_TLS = /^(EPROTO$|ERR_SSL_)/

/** Never includes the request, whose path contains `p`. */
export function describeFault(error: unknown, { hostname, origin }: URL): string {
  if (!(error instanceof Error)) return 'unknown'
  if (!('code' in error)) return error.message
  const code = String(error.code)
  if (UNTRUSTED.test(code)) {
    return `${code}: the engine's certificate is not from a trusted CA: set ENGINE_CA_FILE to the CA's file`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `${code}: the engine's certificate lacks the name ${hostname}: use one of its names in ENGINE_INTERNAL_URL, or add this one to hostnames in the engine's [control]`
  }
  if (WRONG_DATE.test(code)) {
    return `${code}: the engine's certificate, or the CA of ENGINE_CA_FILE, is not valid at this time`
  }
  if (NO_TLS.test(code))
    return `${code}: no TLS handshake with ${origin}: ENGINE_INTERNAL_URL must be its https address`
  return `${code}: ${error.message}`
}

/** What a response means that only the operator can do something about. */
export function describeRejection(status: number): string {
  if (status === 401) return 'status 401: ENGINE_API_TOKEN must be the token that the engine requires'
  if (status === 404) return 'status 404: ENGINE_ACK_PATH must be the path of its acknowledgement call'
  return `status ${status}`
}
