// The command line: options that replace keys of the file, so that it need not contain secrets.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Environment } from '../../settings/reading.ts'
import type { FileOption } from '../../settings/toml-file.ts'
import { zoneClock } from '../policy/schedule/zone-clock.ts'

export const HELP = `Usage: node src/engine/main.ts --config FILE [options]
       node src/engine/main.ts update-lists LISTS.CONF FOLDER
       node src/engine/main.ts update-groups GROUPS.TOML FOLDER
           [--password-file FILE]

The engine: decides about URLs by a policy, redirects to the portal, and accepts
its acknowledgements. docs/engine.md and docs/policy.md describe it.

  --config FILE          the policy, TOML
  --listen HOST:PORT     instead of [control] listen; port 0 selects a free one
  --publish FOLDER       instead of [certificates] folder: where the CA and the
                         portal's certificate are published
  --group-reads-key      instead of [certificates] group_reads_key: the group of
                         the portal's private key may read it
  --secret-file FILE     instead of [captive_portal] secret: a file that contains it
  --api-token-file FILE  instead of [control] api_token: a file that contains it
  --admin-token-file FILE
                         instead of [control] admin_token: a file that contains it
  --icap HOST:PORT       instead of [icap] listen; port 0 selects a free one
  --icap-tls             instead of [icap] tls: TLS with the control API's
                         certificate
  --icap-token-file FILE instead of [icap] token_file: a file with the token that
                         the proxy sends
  --ops HOST:PORT        instead of [ops] listen
  --timezone ZONE        of schedules and expiries that name none, such as
                         Europe/Zurich; by default GATEWAY_TIMEZONE, without it
                         that of the machine
  --rotate-ca DAYS       publishes the next interception CA, to be used in that many
                         days (0 to 365), and exits
  --check                checks everything that a start does: the policy with its
                         lists, certificates, state, ports; and its expectations.
                         Exits with 2 if there are problems. Nothing is changed
  --version              prints the version
  --help                 prints this text

The portal's variables, where they are set, replace keys of the file, too:
GATEWAY_CAPTIVE_BASE_URL, _HOSTNAME and _HTTPS_PORT [captive_portal] base_url, as
the portal derives it; the name is one more of hostnames. GATEWAY_ORG_NAME, cut
to 64 characters, replaces [certificates] organisation. Of the proxy's,
PROXY_AUTH_EXCEPT names the networks in which [presence] names users.

update-lists downloads lists of names into a folder, and update-groups reads groups
from a directory, such as Active Directory, into one: docs/policy.md.

Examples:
  (umask 077; head -c 32 /dev/urandom | base64 > engine-secret)
  (umask 077; head -c 32 /dev/urandom | base64 > engine-api-token)
  node src/engine/main.ts --config src/engine/sample-policy.toml \\
      --secret-file engine-secret --api-token-file engine-api-token \\
      --publish published
`

export interface CommandLine {
  readonly config: string
  readonly listen: string | undefined
  readonly publish: string | undefined
  readonly groupReadsKey: boolean | undefined
  readonly secretFile: string | undefined
  readonly apiTokenFile: string | undefined
  readonly adminTokenFile: string | undefined
  readonly icap: string | undefined
  /** Whether the ICAP listener uses the control API's certificate. */
  readonly icapTls: boolean | undefined
  readonly icapTokenFile: string | undefined
  readonly ops: string | undefined
  /** Undefined for the machine's. */
  readonly timezone: string | undefined
  /** Days until the next CA is used: the program publishes it and exits. */
  readonly rotateCa: number | undefined
  /** The program checks what a start would check, and exits. */
  readonly check: boolean
  readonly env: Environment
}

/**
 * Reads the arguments after the program's name.
 * @throws {TypeError} with the usage mistake as its message
 */
export function parseCommandLine(args: readonly string[], env: Environment = {}): CommandLine | 'help' | 'version' {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: text,
      listen: text,
      publish: text,
      'group-reads-key': { type: 'boolean' },
      'secret-file': text,
      'api-token-file': text,
      'admin-token-file': text,
      icap: text,
      'icap-tls': { type: 'boolean' },
      'icap-token-file': text,
      ops: text,
      timezone: text,
      'rotate-ca': text,
      check: { type: 'boolean' },
      version: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return 'help'
  if (values.version) return 'version'
  if (values.config === undefined) throw new TypeError("Option '--config <value>' is missing")
  return {
    config: values.config,
    listen: values.listen,
    publish: values.publish,
    groupReadsKey: values['group-reads-key'],
    secretFile: values['secret-file'],
    apiTokenFile: values['api-token-file'],
    adminTokenFile: values['admin-token-file'],
    icap: values.icap,
    icapTls: values['icap-tls'],
    // Paths in the file are relative to its folder.
    icapTokenFile: values['icap-token-file'] && resolve(values['icap-token-file']),
    ops: values.ops,
    timezone: parseTimezone(values.timezone, env),
    rotateCa: parseDays(values['rotate-ca']),
    check: values.check ?? false,
    env,
  }
}

/** The options that replace keys of the file. */
export function fileOptions(options: CommandLine): readonly FileOption[] {
  const control = { table: 'control' }
  const icap = { table: 'icap', isOptional: true } as const
  const certificates = { table: 'certificates' }
  return [
    { name: '--secret-file', table: 'captive_portal', key: 'secret', value: options.secretFile, isSecretFile: true },
    { name: '--listen', ...control, key: 'listen', value: options.listen },
    { name: '--api-token-file', ...control, key: 'api_token', value: options.apiTokenFile, isSecretFile: true },
    { name: '--admin-token-file', ...control, key: 'admin_token', value: options.adminTokenFile, isSecretFile: true },
    { name: '--icap', ...icap, key: 'listen', value: options.icap },
    { name: '--icap-tls', ...icap, key: 'tls', value: options.icapTls && 'control' },
    { name: '--icap-token-file', ...icap, key: 'token_file', value: options.icapTokenFile },
    { name: '--ops', table: 'ops', key: 'listen', value: options.ops, isOptional: true },
    { name: '--publish', ...certificates, key: 'folder', value: options.publish },
    { name: '--group-reads-key', ...certificates, key: 'group_reads_key', value: options.groupReadsKey },
  ]
}

/** Either may be empty. */
function parseTimezone(option: string | undefined, env: Environment): string | undefined {
  const text = option || env.GATEWAY_TIMEZONE?.trim()
  if (!text) return undefined
  const name = option ? "Option '--timezone'" : 'GATEWAY_TIMEZONE'
  if (zoneClock(text) === undefined) throw new TypeError(`${name} must be a time zone such as Europe/Zurich`)
  return text
}

function parseDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const days = Number(text)
  if (!/^[0-9]{1,3}$/.test(text) || days > 365) throw new TypeError("Option '--rotate-ca' must be 0 to 365 days")
  return days
}
