// What went wrong with a database, in our words: messages of drivers are about their own options and files, name users and
// values, and change with their version.

/** A fault whose message is ours. */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault'
}

/** By code of the system, of TLS, or of PostgreSQL (SQLSTATE): what it means, and what to do. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server accepts connections at this address',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  EHOSTUNREACH: 'there is no way to this address',
  ENETUNREACH: 'there is no way to this address',
  ETIMEDOUT: 'the server does not respond',
  ENOTFOUND: 'no address is known for this host name',
  EAI_AGAIN: 'the name server does not respond',
  ENOENT: 'there is no such file, folder or socket',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'the path is a folder',
  EACCES: 'this user has no permission for it',
  EPERM: 'this user has no permission for it',
  ERR_ACCESS_DENIED: 'this process has no permission for it (--allow-fs-read, --allow-fs-write)',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  CERT_HAS_EXPIRED: "the server's certificate, or its CA's, has expired",
  CERT_NOT_YET_VALID: "the server's certificate, or its CA's, is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate lacks the host name in the URL: use one of its names",
  '28P01': 'the password is wrong, or there is no such user',
  28000: 'the server does not let this user in from here (pg_hba.conf)',
  '3D000': 'the server has no database of this name',
  42501: 'the user lacks a privilege: grant create on schema public',
  '42P01': 'a table is missing',
  53100: 'the disk of the server is full',
  53200: 'the server is out of memory',
  53300: 'the server has no connection left',
  25006: 'the database is read-only: a standby, or its primary has changed',
  '0A000': 'the server does not support it: a standby is read-only',
  57014: 'it took too long',
  '55P03': 'another program holds a lock',
  '57P01': 'the server ended the connection: it is shutting down, or an administrator did that',
  '57P02': 'the server is restarting after a crash',
  '57P03': 'the server is starting',
}

const UNTRUSTED =
  /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?|CERT_(UNTRUSTED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_CA|INVALID_PURPOSE)$/
const SQLSTATE = /^[0-9A-Z]{5}$/

/** By SQLite's primary result code. */
const BY_SQLITE_CODE: Readonly<Record<number, string>> = {
  1: 'a table or column is missing, or the statement failed',
  5: 'another program has locked the file',
  6: 'another connection has locked the table',
  8: "the file cannot be written to: it and its folder must belong to this program's user",
  10: 'the disk reports an error',
  11: 'the file is damaged: restore a backup',
  13: 'the disk is full',
  14: "the file cannot be opened: its folder must exist and belong to this program's user",
  26: 'the file is not an SQLite database',
}

/** Of these, the operator wants to know on which disk. */
const DISK_CODES = new Set([10, 13])

/** Messages of pg without a code. */
const POSTGRES_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/does not support SSL/, 'the server has no TLS: turn it on there, or write sslmode=disable in the URL'],
  [/password must be a/, 'the server asks for a password, and the URL has none'],
  [/timeout|timed out/i, 'the server does not respond'],
  [/terminated|not queryable|end on the pool/, 'the server closed the connection'],
  [
    /^SASL|SSL connection|^Received unexpected|authenticationOk/,
    'the server does not speak the protocol of PostgreSQL',
  ],
]

/** One line, without user, password or values. */
export function describeFault(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeFault(error.errors[0])
  if (!(error instanceof Error)) return 'an unknown error'
  if (error instanceof DatabaseFault) return error.message
  const { code, errcode, path } = error as { code?: unknown; errcode?: unknown; path?: unknown }
  if (typeof errcode === 'number') {
    const place = DISK_CODES.has(errcode & 0xff) && typeof path === 'string' ? `: ${path}` : ''
    return `${BY_SQLITE_CODE[errcode & 0xff] ?? 'SQLite refuses it'} (SQLite error ${errcode})${place}`
  }
  if (typeof code === 'string') return describeCode(code)
  const known = POSTGRES_MESSAGES.find(([pattern]) => pattern.test(error.message))
  return known?.[1] ?? error.message
}

const UNREACHABLE = new Set<unknown>([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['57P01', '57P02', '57P03'],
])
const NO_RESPONSE = /timeout|timed out|terminated|not queryable/i

/** Whether a server cannot be reached, perhaps only for now: it starts, stops or restarts. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode, syscall } = error as NodeJS.ErrnoException & { errcode?: unknown }
  if (code === undefined) return errcode === undefined && NO_RESPONSE.test(error.message)
  // A server creates its socket when it starts.
  return UNREACHABLE.has(code) || (code === 'ENOENT' && syscall === 'connect')
}

function describeCode(code: string): string {
  const meaning = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined
  if (meaning !== undefined) return `${meaning} (${code})`
  if (UNTRUSTED.test(code)) {
    return `the server's certificate is not from a trusted CA: name the CA's file as sslrootcert in the URL (${code})`
  }
  if (code.startsWith('ERR_OSSL')) return `a file of sslrootcert, sslcert or sslkey is not usable PEM (${code})`
  if (/^(EPROTO$|ERR_SSL_)/.test(code)) return `there is no TLS handshake with the server (${code})`
  if (SQLSTATE.test(code)) return `PostgreSQL refuses it (SQLSTATE ${code})`
  return `an error of the system (${code})`
}
