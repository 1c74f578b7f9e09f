// The acknowledgement between portal and engine: names, problem types and the override code's transport
// (protocol v1, section 2).

/** The portal's route, and the engine's unless ENGINE_ACK_PATH names another. */
export const ACKNOWLEDGEMENT_PATH = '/api/captive/ack'
export const OVERRIDE_CODE_HEADER = 'x-override-code'
export const CODE_REJECTED_PROBLEM = '/problems/override-code-rejected'
export const LOCKED_OUT_PROBLEM = '/problems/locked-out'
export const EXPIRED_PROBLEM = '/problems/acknowledgement-expired'

const MAXIMUM_CODE_BYTES = 256
const ENCODED_CODE = /^(?:[ -$&-~]|%[0-9A-Fa-f]{2})+$/

/** The header's value: the code in UTF-8, percent-encoded. */
export function encodeOverrideCode(code: string): string {
  return encodeURIComponent(code)
}

/** The code as the visitor typed it, decoded once and not normalised; undefined when the header breaks a rule. */
export function decodeOverrideCode(header: string): string | undefined {
  if (header.length > MAXIMUM_CODE_BYTES * 3 || !ENCODED_CODE.test(header)) return undefined
  let code: string
  try {
    code = decodeURIComponent(header)
  } catch {
    return undefined
  }
  return Buffer.byteLength(code) <= MAXIMUM_CODE_BYTES ? code : undefined
}
