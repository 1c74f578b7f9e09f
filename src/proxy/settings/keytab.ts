// The keytab with which Squid's helper accepts Kerberos tickets. A helper without its key ends at once, and Squid with it, in a
// screen of messages that do not name the cause.
import { readFault, readRegularFile } from '../../settings/file.ts'
import { quoted } from '../../settings/shown.ts'
import { authParams } from './directives.ts'

/** What a line of PROXY_AUTH has Squid use. */
export interface KerberosKeys {
  /** An absolute path. */
  readonly keytab: string
  /** The principal that browsers ask for: `HTTP/proxy.school.example@SCHOOL.EXAMPLE`; undefined: any of HTTP. */
  readonly principal: string | undefined
}

const SHOWN = 3

/**
 * The keys of the helper negotiate_kerberos_auth, also behind negotiate_wrapper_auth; undefined if it is not used, or finds its
 * keytab by other means than `-k FILE`.
 * @param auth the text of the file of PROXY_AUTH
 */
export function kerberosKeys(auth: string): KerberosKeys | undefined {
  let keys: KerberosKeys | undefined
  for (const { scheme, parameter, values } of authParams(auth)) {
    if (scheme !== 'negotiate' || parameter !== 'program') continue
    const helper = values.findIndex((word) => /(^|\/)negotiate_kerberos_auth$/.test(word))
    // The last program counts.
    keys = helper === -1 ? undefined : keysOf(values.slice(helper + 1))
  }
  return keys
}

function keysOf(options: readonly string[]): KerberosKeys | undefined {
  const after = (option: string) => (options.includes(option) ? (options[options.indexOf(option) + 1] ?? '') : '')
  const [keytab, service] = [after('-k').replace(/^FILE:/, ''), after('-s')]
  if (!keytab.startsWith('/')) return undefined
  return { keytab, principal: service === '' || service === 'GSS_C_NO_NAME' ? undefined : service }
}

/** Why nobody could sign in with these keys, to follow "a keytab"; undefined if somebody can. */
export function keytabFault({ keytab, principal }: KerberosKeys): string | undefined {
  let bytes: Buffer
  try {
    bytes = Buffer.from(readRegularFile(keytab))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return `that does not exist: ${keytab}`
    if (code === 'EACCES' || code === 'ERR_ACCESS_DENIED') return `that the proxy's user may not read: ${keytab}`
    return `that cannot be read: ${keytab} (${readFault(error)})`
  }
  const found = principalsOf(bytes)
  if (found === undefined) return `that is none, or is not whole: ${keytab}`
  const isWanted = (one: string) =>
    principal === undefined
      ? one.startsWith('HTTP/')
      : // Without a realm, it is the one of krb5.conf.
        one === principal || (!principal.includes('@') && one.startsWith(`${principal}@`))
  if (found.some(isWanted)) return undefined
  const others = [...new Set(found)]
  const has = others.slice(0, SHOWN).map(quoted).join(', ') + (others.length > SHOWN ? ', …' : '')
  return `without a key for ${quoted(principal ?? 'HTTP/…')}: ${keytab} has ${has || 'no keys'}`
}

/**
 * Of each key, `NAME/INSTANCE@REALM`. MIT's format 0x502, which msktutil, ktutil and ktpass write: numbers are big-endian, each
 * entry has its length before it, and a negative length is a hole.
 * @returns undefined for anything else
 */
export function principalsOf(bytes: Buffer): readonly string[] | undefined {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== 0x502) return undefined
  const principals: string[] = []
  for (let at = 2; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined
    const length = bytes.readInt32BE(at)
    at += 4
    // Nothing follows.
    if (length === 0) break
    const end = at + Math.abs(length)
    if (end > bytes.length) return undefined
    if (length > 0) {
      const principal = principalOf(bytes.subarray(at, end))
      if (principal === undefined) return undefined
      principals.push(principal)
    }
    at = end
  }
  return principals
}

/** @param entry the number of the name's parts, the realm, and the parts; then what is not read here */
function principalOf(entry: Buffer): string | undefined {
  let at = 2
  const text = () => {
    const start = at + 2
    if (start > entry.length) return undefined
    at = start + entry.readUInt16BE(start - 2)
    return at > entry.length ? undefined : entry.toString('utf8', start, at)
  }
  if (entry.length < 2) return undefined
  const parts = [text(), ...Array.from({ length: entry.readUInt16BE(0) }, text)]
  if (parts.includes(undefined)) return undefined
  const [realm, ...names] = parts
  return `${names.join('/')}@${realm}`
}
