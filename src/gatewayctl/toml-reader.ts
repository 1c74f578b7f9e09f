// The parser of TOML, for verbs that read the engine's file.
import { EXIT_MISUSED, Failure } from './failure.ts'

/** The portal's image has none. @throws {Failure} */
export async function tomlReader() {
  try {
    return await import('../settings/toml-file.ts')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Failure('this gatewayctl reads no TOML: use the package, the archive, or the image alarms', EXIT_MISUSED)
  }
}
