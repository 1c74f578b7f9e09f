// The file that portals read the shared secret from: read by the portal's rules, and replaced atomically.
import { resolve } from 'node:path'
import { parseSecrets } from '../../contract/secret.ts'
import { readFileStart, readSecretFile } from '../../settings/file.ts'
import { loadSection } from '../../settings/load-section.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import type { Environment } from '../../settings/reading.ts'
import { payload } from '../../settings/sections/payload.ts'
import { writeAtomically } from '../files/atomic-file.ts'

export interface SharedSecrets {
  readonly path: string
  /** Two during a rotation: the old one, then the new one. */
  readonly secrets: readonly [string] | readonly [string, string]
  /** The key ids that payloads name; not secret. In the order of the secrets. */
  readonly keyIds: readonly string[]
  /** The portals' replay window. */
  readonly maxAgeSeconds: number
}

/** @throws {ConfigProblems} when a portal would refuse the file */
export function readSharedSecrets(file: string, env: Environment): SharedSecrets {
  const path = resolve(file)
  try {
    const { keyring, maxAgeSeconds } = loadSection(payload, {
      GATEWAY_CAPTIVE_SHARED_SECRET_FILE: path,
      ENGINE_SIGNATURE_MAX_AGE_SECONDS: env.ENGINE_SIGNATURE_MAX_AGE_SECONDS,
    }).part.payload
    const secrets = parseSecrets(readSecretFile(path, readFileStart).text ?? '')
    return { path, secrets, keyIds: [...keyring.opening.keys()], maxAgeSeconds }
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    // The option instead of the variable.
    throw new ConfigProblems(
      error.problems.map((problem) => problem.replace('GATEWAY_CAPTIVE_SHARED_SECRET_FILE', '--file')),
    )
  }
}

/** @throws {Failure} and the file is unchanged */
export async function replaceSecrets(path: string, secrets: readonly string[]): Promise<void> {
  await writeAtomically(path, `${secrets.join('\n')}\n`, 0o600)
}
