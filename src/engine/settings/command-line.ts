// The command line: options that replace keys of the file, so that it need not contain secrets.
import { parseArgs } from 'node:util'
import type { FileOption } from '../../config/toml-file.ts'
import { MAXIMUM_ORGANISATION } from './file-shape.ts'

export const HELP = `Usage: node src/engine/main.ts --config FILE [options]

The engine: decides about URLs by a policy, redirects to the portal, and accepts
its acknowledgements. It is an example and a test partner, not a product.
docs/engine.md describes the file and both calls.

  --config FILE          the policy, TOML
  --listen HOST:PORT     instead of [control] listen; port 0 selects a free one
  --publish FOLDER       instead of [certificates] folder: where the CA and the
                         portal's certificate are published
  --base-url URL         instead of [captive_portal] base_url: the portal's public
                         address
  --hostname NAME        instead of [captive_portal] hostnames: a further name of
                         the portal; may be given repeatedly
  --organisation NAME    instead of [certificates] organisation: the name in the
                         subject of a new CA, cut to 64 characters; an empty one
                         is ignored
  --group-reads-key      instead of [certificates] group_reads_key: the group of
                         the portal's private key may read it
  --secret-file FILE     instead of [captive_portal] secret: a file that contains it
  --api-token-file FILE  instead of [control] api_token: a file that contains it
  --rotate-ca DAYS       publishes the next interception CA, to be used in that many
                         days (0 to 365), and exits
  --help                 this text

Examples:
  head -c 32 /dev/urandom | base64 > engine-secret
  node src/engine/main.ts --config src/engine/sample-policy.toml \\
      --secret-file engine-secret --publish published
`

export interface CommandLine {
  readonly config: string
  readonly listen: string | undefined
  readonly publish: string | undefined
  readonly baseUrl: string | undefined
  readonly hostnames: readonly string[] | undefined
  readonly organisation: string | undefined
  readonly groupReadsKey: boolean | undefined
  readonly secretFile: string | undefined
  readonly apiTokenFile: string | undefined
  /** Days until the next CA is used: the program publishes it and exits. */
  readonly rotateCa: number | undefined
}

/**
 * Reads the arguments after the program's name.
 * @throws {TypeError} with the usage mistake as its message
 */
export function parseCommandLine(args: readonly string[]): CommandLine | 'help' {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: text,
      listen: text,
      publish: text,
      'base-url': text,
      hostname: { ...text, multiple: true },
      organisation: text,
      'group-reads-key': { type: 'boolean' },
      'secret-file': text,
      'api-token-file': text,
      'rotate-ca': text,
      help: { type: 'boolean' },
    },
  })
  if (values.help) return 'help'
  if (values.config === undefined) throw new TypeError("Option '--config <value>' is missing")
  return {
    config: values.config,
    listen: values.listen,
    publish: values.publish,
    baseUrl: values['base-url'],
    hostnames: values.hostname,
    organisation: cutToFit(values.organisation),
    groupReadsKey: values['group-reads-key'],
    secretFile: values['secret-file'],
    apiTokenFile: values['api-token-file'],
    rotateCa: parseDays(values['rotate-ca']),
  }
}

/** The options that replace keys of the file. */
export function fileOptions(options: CommandLine): readonly FileOption[] {
  const portal = { table: 'captive_portal' }
  const control = { table: 'control' }
  const certificates = { table: 'certificates' }
  return [
    { name: '--secret-file', ...portal, key: 'secret', value: options.secretFile, isSecretFile: true },
    { name: '--base-url', ...portal, key: 'base_url', value: options.baseUrl },
    { name: '--hostname', ...portal, key: 'hostnames', value: options.hostnames },
    { name: '--listen', ...control, key: 'listen', value: options.listen },
    { name: '--api-token-file', ...control, key: 'api_token', value: options.apiTokenFile, isSecretFile: true },
    { name: '--publish', ...certificates, key: 'folder', value: options.publish },
    { name: '--organisation', ...certificates, key: 'organisation', value: options.organisation },
    { name: '--group-reads-key', ...certificates, key: 'group_reads_key', value: options.groupReadsKey },
  ]
}

/** Deployments pass GATEWAY_ORG_NAME, which may be empty and may be longer than X.520 allows. */
function cutToFit(name: string | undefined): string | undefined {
  const cut = [...(name?.trim() ?? '')].slice(0, MAXIMUM_ORGANISATION).join('').trimEnd()
  return cut === '' ? undefined : cut
}

function parseDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const days = Number(text)
  if (!/^[0-9]{1,3}$/.test(text) || days > 365) throw new TypeError("Option '--rotate-ca' must be 0 to 365 days")
  return days
}
