// A complete configuration without warnings, and the results of loading it with changes.

import { loadConfig } from '../../src/portal/settings/config.ts'
import type { ReadFile } from '../../src/settings/file.ts'
import { ConfigProblems } from '../../src/settings/problems.ts'

export const SHARED_SECRET = 'Sh4red-secret-for-tests-0123456789-abcdef'
export const SECRET_KEY = 'K3y-of-the-session-for-tests-0123456789-ab'

export const complete = {
  GATEWAY_CAPTIVE_SHARED_SECRET: SHARED_SECRET,
  GATEWAY_CAPTIVE_SECRET_KEY: SECRET_KEY,
  GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite:////dev/shm/portal.db',
  GATEWAY_ORG_NAME: 'Stadt Muster',
}

export type Changes = Record<string, string | undefined>

export const load = (changes: Changes = {}, readFile?: ReadFile) => loadConfig({ ...complete, ...changes }, readFile)

/** @returns the problems of a configuration with these changes */
export function problemsOf(changes: Changes, readFile?: ReadFile): readonly string[] {
  try {
    load(changes, readFile)
    return []
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems
    throw error
  }
}
