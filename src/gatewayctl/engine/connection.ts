// Where the engine is, the token that administers it, and who may have issued its certificate: from options, otherwise from
// the deployment.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { type Command, Option } from 'commander'
import { certificateDownload } from '../../certificate/downloads.ts'
import { readStart } from '../../settings/file.ts'
import { loadSection } from '../../settings/load-section.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import { engine as engineSection } from '../../settings/sections/engine.ts'
import type { Context } from '../context.ts'
import { DEFAULT_HOME, isPortalInContainer } from '../deployment/installation.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { lookUpCa } from '../portal/ca.ts'

export interface EngineOptions {
  readonly engine?: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly json?: true
}

type Surroundings = Pick<Context, 'env' | 'clock'>

export interface Connection {
  /** An https origin. */
  readonly url: URL
  readonly token: string
  /** Where the token is from, for messages. */
  readonly tokenSource: string
  /** PEM. */
  readonly roots: readonly string[]
  /** A remedy for an engine that cannot be reached; undefined where none is known. */
  readonly advice: string | undefined
}

export const ENGINE = `
The engine is the one that ENGINE_INTERNAL_URL names, in the environment or in
.env in GATEWAY_HOME (default: /etc/gateway). The token is in the file
secrets/engine-admin-token of that folder, otherwise in ENGINE_API_TOKEN or
ENGINE_API_TOKEN_FILE, otherwise in secrets/engine-api-token. The engine's
certificate is verified with ENGINE_CA_FILE, otherwise with the published CA.`

const MAXIMUM_CA_BYTES = 1024 * 1024
const IN_THE_CONTAINER =
  'the portal runs in a container, so run this in it: docker compose exec -T portal node src/gatewayctl/main.ts engine …'
/** The variables that options replace. */
const OPTIONS = {
  ENGINE_INTERNAL_URL: '--engine',
  ENGINE_API_TOKEN_FILE: '--token-file',
  ENGINE_CA_FILE: '--ca-file',
} as const

export function withEngineOptions(command: Command): Command {
  return command
    .addOption(new Option('--json', 'print one JSON document'))
    .addOption(new Option('--engine <url>', "the engine's control API, for example https://localhost:11225"))
    .addOption(new Option('--token-file <file>', 'a file with the token'))
    .addOption(new Option('--ca-file <file>', "a file with the CA of the engine's certificate, PEM"))
}

/**
 * @param token what the call requires; without an admin token, the API token administers, too
 * @throws {Failure} @throws {ConfigProblems}
 */
export async function findEngine(
  context: Surroundings,
  options: EngineOptions,
  token: 'engine-admin-token' | 'engine-api-token' = 'engine-admin-token',
): Promise<Connection> {
  const variables = portalVariables(context.env)
  const { ENGINE_API_TOKEN, ENGINE_API_TOKEN_FILE } = tokenVariables(context, options, token)
  const named = {
    ENGINE_INTERNAL_URL: options.engine ?? variables.ENGINE_INTERNAL_URL,
    ENGINE_CA_FILE: options.caFile ?? variables.ENGINE_CA_FILE,
    ENGINE_API_TOKEN,
    ENGINE_API_TOKEN_FILE,
  }
  const { url, apiToken, caFile } = loadNamed(named, options)
  if (url === undefined) throw new Failure('ENGINE_INTERNAL_URL is empty; --engine names the engine', EXIT_MISUSED)
  if (url.protocol !== 'https:')
    throw new Failure(`the engine is reached over https only, not at ${url.origin}`, EXIT_MISUSED)
  if (apiToken === undefined) {
    throw new Failure(
      'no token was found: --token-file names a file with it; root can read the one in the folder of the gateway',
      EXIT_MISUSED,
    )
  }
  const { roots, missing } = caFile === undefined ? await publishedRoots(context) : { roots: [readCa(caFile)] }
  const isInContainer = options.engine === undefined && isPortalInContainer(context.env)
  return {
    url,
    token: apiToken,
    tokenSource: ENGINE_API_TOKEN_FILE ?? 'ENGINE_API_TOKEN',
    roots,
    advice: isInContainer ? IN_THE_CONTAINER : missing,
  }
}

function tokenVariables({ env }: Surroundings, { tokenFile }: EngineOptions, token: string) {
  const none = { ENGINE_API_TOKEN: undefined, ENGINE_API_TOKEN_FILE: undefined }
  if (tokenFile !== undefined) return { ...none, ENGINE_API_TOKEN_FILE: tokenFile }
  const secret = (name: string) => join(env.GATEWAY_HOME?.trim() || DEFAULT_HOME, 'secrets', name)
  const adminToken = secret('engine-admin-token')
  const isAdministration = token === 'engine-admin-token'
  if (isAdministration && existsSync(adminToken)) return { ...none, ENGINE_API_TOKEN_FILE: adminToken }
  const { ENGINE_API_TOKEN, ENGINE_API_TOKEN_FILE } = portalVariables(env)
  const isNamed = Boolean(ENGINE_API_TOKEN?.trim() || ENGINE_API_TOKEN_FILE?.trim())
  const apiToken = secret('engine-api-token')
  if (!isNamed && existsSync(apiToken)) return { ...none, ENGINE_API_TOKEN_FILE: apiToken }
  return { ENGINE_API_TOKEN, ENGINE_API_TOKEN_FILE }
}

/** Problems name the option where one was given. */
function loadNamed(variables: Readonly<Record<string, string | undefined>>, options: EngineOptions) {
  try {
    return loadSection(engineSection, variables).part.engine
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    const given = { '--engine': options.engine, '--token-file': options.tokenFile, '--ca-file': options.caFile }
    throw new ConfigProblems(
      error.problems.map((problem) =>
        problem.replace(/ENGINE_(INTERNAL_URL|API_TOKEN_FILE|CA_FILE)/g, (name) => {
          const option = OPTIONS[name as keyof typeof OPTIONS]
          return given[option] === undefined ? name : option
        }),
      ),
    )
  }
}

/** The published CA, its successor, and the system's roots. */
async function publishedRoots(context: Surroundings): Promise<{ roots: readonly string[]; missing?: string }> {
  try {
    const { certificate, next } = (await lookUpCa(context)).published
    const own = next === undefined ? [certificate] : [certificate, next]
    return { roots: [...own.map((ca) => `${certificateDownload(ca, 'crt', '').bytes}`), ...rootCertificates] }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { roots: rootCertificates, missing: `--ca-file names the CA of the engine's certificate (${error.message})` }
  }
}

function readCa(path: string): string {
  const bytes = readStart(path, MAXIMUM_CA_BYTES)
  if (bytes.length > MAXIMUM_CA_BYTES) throw new Failure(`${path} is larger than 1 MiB`, EXIT_MISUSED)
  const text = Buffer.from(bytes).toString('latin1')
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new Failure(`${path} has no certificate in PEM`, EXIT_MISUSED)
}
