// The portal's configuration: the environment as one value, or every problem in it at once.

import { envFileRemains } from '../../settings/env-file-remains.ts'
import { type ReadFile, readFileStart } from '../../settings/file.ts'
import { unknownNames, variableNames } from '../../settings/names.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import { type Environment, startReading } from '../../settings/reading.ts'
import type { Section } from '../../settings/section.ts'
import { certificate } from '../../settings/sections/certificate.ts'
import { database } from '../../settings/sections/database.ts'
import { deviceProxy } from '../../settings/sections/device-proxy.ts'
import { engine } from '../../settings/sections/engine.ts'
import { locales } from '../../settings/sections/locales.ts'
import { payload } from '../../settings/sections/payload.ts'
import { policy } from '../../settings/sections/policy.ts'
import { publicAddress } from '../../settings/sections/public-address.ts'
import { brand } from './brand.ts'
import { listen } from './listen.ts'
import { records } from './records.ts'
import { release } from './release.ts'
import { session } from './session.ts'

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
  deviceProxy,
  records,
  listen,
  release,
] as const

/** The intersection of what all sections return. */
type Parts<Sections> = Sections extends readonly [Section<infer Part>, ...infer Rest] ? Part & Parts<Rest> : unknown

export type Config = Parts<typeof sections>

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
 * Like `loadConfig`, but returns the problems. Variables with a problem have their defaults, and sections without their
 * required variables are missing: use such a configuration only to find more problems.
 */
export function readConfig(env: Environment, readFile: ReadFile = readFileStart) {
  const reading = startReading(env, readFile)
  const parts = sections.map((section) => section.read(reading))
  const config: Config = Object.assign({}, ...parts)
  const names = variableNames(sections)
  const warnings = [...reading.warnings(), ...unknownNames(env, names), ...envFileRemains(env, names)]
  return { config, warnings, problems: reading.problems() }
}
