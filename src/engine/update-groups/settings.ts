// groups.toml: the directory, how to sign in to it, and which group becomes which file.
import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { readFileStart, readSecretFile, readStartOrFault } from '../../settings/file.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import { parsed, text } from '../../settings/shapes.ts'
import { readTomlFile } from '../../settings/toml-file.ts'
import { NEW_FILE } from './group-file.ts'

export interface DirectorySettings {
  /** In the order in which they are tried. */
  readonly servers: readonly Server[]
  /** A distinguished name below which groups are found by name. */
  readonly base: string
  /** A distinguished name, or what else the directory accepts, such as `gateway@school.example`. */
  readonly account: string
  readonly password: string
  /** Of a user's entry: the name as the proxy reports it. */
  readonly attribute: string
  /** Certificates in PEM; undefined for the system's. */
  readonly ca: string | undefined
}

export interface Server {
  readonly host: string
  readonly port: number
  /** Whether the connection begins without TLS, which StartTLS adds before anything else is sent. */
  readonly usesStartTls: boolean
}

export interface GroupSettings {
  readonly directory: DirectorySettings
  /** By the name of the file: a group's name, or its distinguished name. */
  readonly groups: ReadonlyMap<string, string>
}

const FILE_RULE = `a file name of letters, digits, ".", "_" and "-" that does not end in "${NEW_FILE}"`
const shape = z.strictObject({
  ldap: z.strictObject({
    servers: z
      .array(parsed('an address such as "ldaps://dc1.school.example", or "ldap://" for StartTLS', parseServer))
      .min(1, 'must name a server'),
    base: text(1, 1000),
    account: text(1, 1000),
    password_file: text(1, 4096),
    user_attribute: parsed('an attribute such as "sAMAccountName" or "uid"', (name) =>
      /^[A-Za-z][\w-]{0,99}$/.test(name) ? name : undefined,
    ).default('sAMAccountName'),
    ca_file: text(1, 4096).optional(),
  }),
  groups: z
    .record(
      z.string().refine((name) => /^\w[\w.-]{0,99}$/.test(name) && !name.endsWith(NEW_FILE), FILE_RULE),
      text(1, 1000),
    )
    .refine((groups) => Object.keys(groups).length > 0, 'must name a file and its group'),
})

/**
 * @param passwordFile replaces `ldap.password_file`
 * @throws {ConfigProblems} with every problem
 */
export function readGroupSettings(path: string, passwordFile: string | undefined): GroupSettings {
  const option = {
    name: '--password-file',
    table: 'ldap',
    key: 'password_file',
    value: passwordFile && resolve(passwordFile),
  }
  const reading = readTomlFile({ path, readFile: readFileStart, options: [option], secretKeys: [] })
  const parsed = reading.parse(shape)
  if (parsed === undefined) throw new ConfigProblems(reading.problems())
  const { servers, base, account, password_file, user_attribute, ca_file } = parsed.ldap
  const inFolder = (file: string) => resolve(dirname(path), file)
  const password = readSecretFile(inFolder(password_file), readFileStart)
  if (password.fault !== undefined) reading.problem(['ldap', 'password_file'], password.fault)
  const ca = ca_file === undefined ? {} : readStartOrFault(inFolder(ca_file), readFileStart)
  const certificates = ca.bytes && Buffer.from(ca.bytes).toString()
  const hasNone = certificates !== undefined && !certificates.includes('-----BEGIN CERTIFICATE-----')
  const caFault = hasNone ? 'must name a file with certificates in PEM' : ca.fault
  if (caFault !== undefined) reading.problem(['ldap', 'ca_file'], caFault)
  if (password.text === undefined || caFault !== undefined) throw new ConfigProblems(reading.problems())
  return {
    directory: { servers, base, account, password: password.text, attribute: user_attribute, ca: certificates },
    groups: new Map(Object.entries(parsed.groups)),
  }
}

function parseServer(text: string): Server | undefined {
  const url = URL.parse(text)
  if (url === null || !/^ldaps?:\/\/[^/?#@]+\/?$/.test(text)) return undefined
  const usesStartTls = url.protocol === 'ldap:'
  // Brackets surround an IPv6 address in a URL only.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(url.port) || (usesStartTls ? 389 : 636), usesStartTls }
}
