// The operator's texts on the host, and the portal's rules for them.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, format, join, parse, resolve } from 'node:path'
import { readPolicyTexts } from '../../../aup/policy-texts.ts'
import { readFileStart } from '../../../settings/file.ts'
import { startReading } from '../../../settings/reading.ts'
import { type Locale, type LocaleSettings, locales as localesSection } from '../../../settings/sections/locales.ts'
import { policy as policySection } from '../../../settings/sections/policy.ts'
import type { Installation } from '../../deployment/installation.ts'
import { SWITCH } from '../../deployment/runtime.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { readIfExists } from '../../files/atomic-file.ts'

export interface Texts {
  /** The folder on the host. */
  readonly folder: string
  readonly locales: LocaleSettings['locales']
  /** The default text and those of the supported languages. */
  readonly all: readonly (Locale | undefined)[]
  /** The default text, or that of one language. */
  path(locale?: Locale): string
  /** The same path as the portal sees it. */
  seenPath(locale?: Locale): string
}

/** A container sees GATEWAY_CAPTIVE_AUP_FOLDER as the folder of GATEWAY_CAPTIVE_AUP_PATH. */
export function findTexts(installation: Installation): Texts {
  const variables = installation.variables()
  // With a problem in them, the defaults: the portal reports problems.
  const reading = startReading(variables, readFileStart)
  const { locales } = localesSection.read(reading)
  const { policy } = policySection.read(reading)
  const folder =
    installation.runBy.kind === 'systemd'
      ? dirname(policy.path)
      : resolve(installation.home, variables.GATEWAY_CAPTIVE_AUP_FOLDER || 'aup')
  return {
    folder,
    locales,
    all: [undefined, ...locales.supported],
    path: (locale) => join(folder, localName(policy.path, locale)),
    seenPath: (locale) => join(dirname(policy.path), localName(policy.path, locale)),
  }
}

/** `aup.md` in French: `aup.fr.md`. */
function localName(path: string, locale: Locale | undefined): string {
  const { name, ext } = parse(path)
  return locale === undefined ? basename(path) : format({ name: `${name}.${locale}`, ext })
}

/**
 * The path of the text that a page in this language shows.
 * @throws {Failure} for a language that the portal does not render
 */
export async function textOf(texts: Texts, locale: Locale | undefined): Promise<string> {
  if (locale === undefined) return texts.path()
  if (!texts.locales.supported.includes(locale)) {
    const supported = texts.locales.supported.join(', ')
    throw new Failure(
      `the portal has no pages in ${locale}: GATEWAY_CAPTIVE_SUPPORTED_LOCALES is ${supported}`,
      EXIT_MISUSED,
    )
  }
  // The default text is in the default language.
  const own = texts.path(locale)
  return locale === texts.locales.default && (await readIfExists(own)) === undefined ? texts.path() : own
}

export interface ChangedText {
  /** Where it goes. */
  readonly path: string
  readonly bytes: Buffer
  /** What messages call it: where it is from, if that is not `path`. */
  readonly source?: string | undefined
}

/** @throws {Failure} with everything that the portal would refuse after the change */
export async function checkTexts(texts: Texts, changed?: ChangedText): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewayctl-'))
  try {
    for (const locale of texts.all) {
      const place = texts.path(locale)
      const staged = join(folder, basename(place))
      if (place === changed?.path) writeFileSync(staged, changed.bytes)
      else if ((await readIfExists(place)) !== undefined) symlinkSync(place, staged)
    }
    const staged = join(folder, basename(texts.path()))
    const { problems } = await readPolicyTexts({ enabled: true, path: staged, version: '' }, texts.locales)
    if (problems.length === 0) return
    const said = problems.map((problem) => {
      const short = problem.replace(`GATEWAY_CAPTIVE_AUP_PATH: "${folder}/`, '"')
      const { path, source } = changed ?? {}
      return `  ${path === undefined || source === undefined ? short : short.replace(`"${basename(path)}"`, () => source)}`
    })
    throw new Failure(['the portal would refuse this:', ...said].join('\n'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether `.env` turns the operator's policy on. */
export const isEnabled = (installation: Installation): boolean => installation.variables()[SWITCH] === 'true'
