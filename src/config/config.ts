// The portal's configuration: what the environment says, as one value, or every problem in it at once.
import type { Keyring } from '../contract/secret.ts'
import { brand, type Palette } from './brand.ts'
import { certificate } from './certificate.ts'
import { database } from './database.ts'
import { engine } from './engine.ts'
import { type ReadFile, readFileStart } from './file.ts'
import { listen } from './listen.ts'
import { type Locale, locales } from './locales.ts'
import { unknownNames, variableNames } from './names.ts'
import { payload } from './payload.ts'
import { policy } from './policy.ts'
import { publicAddress } from './public-address.ts'
import { type Environment, startReading } from './reading.ts'
import { records } from './records.ts'
import { release } from './release.ts'
import type { Section } from './section.ts'
import { session } from './session.ts'
import { tracing } from './tracing.ts'

export interface Config {
  readonly environment: 'production' | 'development'
  readonly release: {
    readonly version: string
    /** Empty for a release without a suffix. */
    readonly type: string
    /** Version and type: `2026.47.0-IR`, or `2026.47.0`. */
    readonly label: string
  }
  /** Port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Port 0 means none. */
  readonly ops: { readonly host: string; readonly port: number }
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[]
  readonly publicAddress: {
    /** An origin, without a slash at its end. */
    readonly baseUrl: string
    /** Whether the base URL is https. */
    readonly secure: boolean
    readonly hostname: string
    readonly httpPort: number
    readonly httpsPort: number
  }
  readonly payload: { readonly keyring: Keyring; readonly maxAgeSeconds: number }
  /** The first secret signs, both verify. */
  readonly session: { readonly secrets: readonly [string] | readonly [string, string] }
  readonly engine: {
    /** An origin; undefined when acknowledgements are turned off. */
    readonly url: URL | undefined
    readonly ackPath: string
    readonly timeoutSeconds: number
    readonly caFile: string | undefined
    readonly apiToken: string | undefined
  }
  readonly database:
    | { readonly dialect: 'sqlite' /** Absolute, or `:memory:`. */; readonly path: string }
    | { readonly dialect: 'postgres' /** `postgresql://…`, with the password. */; readonly url: string }
  readonly brand: {
    readonly product: string
    readonly palette: Palette
    readonly organisation: string | undefined
    readonly company: string | undefined
    readonly companyUrl: string | undefined
    readonly supportUrl: string | undefined
  }
  readonly locales: { readonly default: Locale; readonly supported: readonly Locale[] }
  readonly policy: { readonly enabled: boolean; readonly path: string; readonly version: string }
  readonly certificate: { readonly inspection: boolean; readonly path: string }
  readonly records: { readonly clientAddress: boolean; readonly logDestination: boolean }
  readonly tracing: {
    /** Undefined when nothing is traced. */
    readonly url: URL | undefined
    readonly headers: Readonly<Record<string, string>>
  }
}

/** All that is wrong with the configuration; the message lists it, a line each, without secrets. */
export class ConfigProblems extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    super([`The configuration has ${count}:`, ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.name = 'ConfigProblems'
    this.problems = problems
  }
}

/** In the order of the documentation. */
export const sections = [
  publicAddress,
  payload,
  session,
  engine,
  database,
  brand,
  locales,
  policy,
  certificate,
  records,
  listen,
  tracing,
  release,
] as const

/** What all sections give together: a section that is missing above is a compile error below. */
type Parts<Sections> = Sections extends readonly [Section<infer Part>, ...infer Rest] ? Part & Parts<Rest> : unknown

/**
 * Reads the whole configuration.
 * @param readFile reads the files that hold secrets
 * @throws {ConfigProblems}
 */
export function loadConfig(
  env: Environment,
  readFile: ReadFile = readFileStart,
): { readonly config: Config; readonly warnings: readonly string[] } {
  const { problems, ...loaded } = readConfig(env, readFile)
  if (problems.length > 0) throw new ConfigProblems(problems)
  return loaded
}

/**
 * The same, with its problems. Where there are some, the variables that have them stand at their defaults, and sections
 * with required variables may be missing: such a configuration is good for finding more problems only.
 */
export function readConfig(env: Environment, readFile: ReadFile = readFileStart) {
  const reading = startReading(env, readFile)
  const parts = sections.map((section) => section.read(reading))
  const config: Config = Object.assign({}, ...parts) as Parts<typeof sections>
  const warnings = [...reading.warnings(), ...unknownNames(env, variableNames(sections))]
  return { config, warnings, problems: reading.problems() }
}
