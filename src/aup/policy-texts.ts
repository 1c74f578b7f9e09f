// The operator's policy in every language: `aup.md`, and in the same folder any `aup.<locale>.md`. If one file has a
// problem, the portal reports all problems and does not start.
import { lstatSync } from 'node:fs'
import { format, parse } from 'node:path'
import { type Config, readConfig } from '../config/config.ts'
import { LOCALES, type Locale } from '../config/locales.ts'
import { ConfigProblems } from '../config/problems.ts'
import type { Environment } from '../config/reading.ts'
import { escaped } from '../config/shown.ts'
import { PolicyFault } from './fault.ts'
import type { PolicyText } from './policy-text.ts'

/** The text on each language's page; it may be in another language. */
export type PolicyTexts = Readonly<Record<Locale, PolicyText>>

export interface PortalConfig {
  readonly config: Config
  readonly warnings: readonly string[]
  /** Undefined if the built-in policy is shown. */
  readonly policyTexts: PolicyTexts | undefined
}

/**
 * Reads the configuration and the policy that it names.
 * @throws {ConfigProblems} with the problems of both
 */
export async function loadPortalConfig(env: Environment): Promise<PortalConfig> {
  const { config, warnings, problems } = readConfig(env)
  const { policyTexts, problems: inTexts } = await readPolicyTexts(config.policy, config.locales)
  if (problems.length + inTexts.length > 0) throw new ConfigProblems([...problems, ...inTexts])
  return { config, warnings, policyTexts }
}

/** Reads nothing while the operator's policy is off. A problem names the file, the rule, and what breaks it. */
export async function readPolicyTexts(
  { enabled, path }: Config['policy'],
  locales: Config['locales'],
): Promise<{ readonly policyTexts: PolicyTexts | undefined; readonly problems: readonly string[] }> {
  const problems: string[] = []
  if (!enabled) return { policyTexts: undefined, problems }
  // Imported on demand: the Markdown parser takes megabytes.
  const { readPolicyText } = await import('./policy-text.ts')
  const read = (file: string, locale: Locale): PolicyText | undefined => {
    try {
      return readPolicyText(file, locale)
    } catch (error) {
      if (!(error instanceof PolicyFault)) throw error
      problems.push(`GATEWAY_CAPTIVE_AUP_PATH: "${escaped(file)}" ${error.message}`)
      return undefined
    }
  }
  const fallback = read(path, locales.default)
  const localised = locales.supported
    .map((locale) => [locale, localPath(path, locale)] as const)
    .filter(([, file]) => exists(file))
    .map(([locale, file]) => [locale, read(file, locale)] as const)
  const texts = Object.fromEntries([...LOCALES.map((locale) => [locale, fallback]), ...localised])
  return { policyTexts: problems.length === 0 ? (texts as PolicyTexts) : undefined, problems }
}

/** `aup.md` in French: `aup.fr.md`. */
function localPath(path: string, locale: Locale): string {
  const { dir, name, ext } = parse(path)
  return format({ dir, name: `${name}.${locale}`, ext })
}

/** True for a file that cannot be accessed and for a dangling link: reading it then reports the problem. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
