// The operator's texts in every supported language: the policy, `aup.md` and in the same folder any `aup.<locale>.md`, and the addition
// to the privacy notice, there too, `privacy.md`. If one file has a problem, the portal reports all problems and does not start.
import { lstatSync } from 'node:fs'
import { dirname, format, join, parse } from 'node:path'
import type { Locale, LocaleSettings } from '../settings/sections/locales.ts'
import type { PolicySettings } from '../settings/sections/policy.ts'
import { escaped } from '../settings/shown.ts'
import { PolicyFault } from './fault.ts'
import type { PolicyText } from './policy-text.ts'

/** A text on the page of each supported language; it may be in another language. */
export type PolicyTexts = Readonly<Record<Locale, PolicyText>>

interface ReadTexts {
  readonly texts: PolicyTexts | undefined
  readonly problems: readonly string[]
}

/** Reads nothing while the operator's policy is off. A problem names the file, the rule, and what breaks it. */
export async function readPolicyTexts(
  { enabled, path }: PolicySettings['policy'],
  locales: LocaleSettings['locales'],
): Promise<ReadTexts> {
  return enabled ? await readTexts(path, locales) : NONE
}

/** Reads nothing without a `privacy.md` or `privacy.<locale>.md` next to the policy, whether or not that is on. */
export async function readPrivacyTexts(
  { path }: PolicySettings['policy'],
  locales: LocaleSettings['locales'],
): Promise<ReadTexts> {
  const file = join(dirname(path), 'privacy.md')
  const files = [file, ...locales.supported.map((locale) => localPath(file, locale))]
  return files.some(exists) ? await readTexts(file, locales) : NONE
}

const NONE: ReadTexts = { texts: undefined, problems: [] }

async function readTexts(path: string, locales: LocaleSettings['locales']): Promise<ReadTexts> {
  const problems: string[] = []
  // Imported on demand: the Markdown parser needs megabytes of memory.
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
  const texts = Object.fromEntries([...locales.supported.map((locale) => [locale, fallback]), ...localised])
  return { texts: problems.length === 0 ? (texts as PolicyTexts) : undefined, problems }
}

/** `aup.md` in French: `aup.fr.md`. */
function localPath(path: string, locale: Locale): string {
  const { dir, name, ext } = parse(path)
  return format({ dir, name: `${name}.${locale}`, ext })
}

/**
 * True for a file that cannot be accessed and for a dangling link: reading it then reports the problem. False in a folder for
 * which Node has no permission: it is not the operator's.
 */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ERR_ACCESS_DENIED'
  }
}
