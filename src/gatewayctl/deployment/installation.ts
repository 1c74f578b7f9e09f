// The folder of a gateway's installation. Its files determine what runs the portal.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../settings/reading.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { fileFailure } from '../files/atomic-file.ts'
import { parseEnvFile } from './env-file.ts'

export interface Installation {
  readonly home: string
  /** The portal's variables. */
  readonly envFile: string
  /** The current content of `.env`. @throws {Failure} when it cannot be read */
  variables(): Environment
  readonly runBy:
    | { readonly kind: 'compose'; readonly file: string }
    | { readonly kind: 'systemd'; readonly unit: string }
}

const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
export const DEFAULT_HOME = '/etc/gateway'
/** Of `.env`, in a message. */
const MAXIMUM_PROBLEMS = 20
const UNIT_FILE = 'portal.unit'
const UNIT = /^[A-Za-z0-9:_.@-]+\.service$/

export const GATEWAY_HOME = `
The gateway's folder is GATEWAY_HOME (default: /etc/gateway). With compose.yaml
in it, the portal is a container; with portal.unit, a file that contains the
name of a unit, the portal is a systemd service.`

/** @throws {Failure} */
export function findInstallation(env: Environment): Installation {
  const given = env.GATEWAY_HOME?.trim() || DEFAULT_HOME
  if (!existsSync(given)) {
    throw new Failure(`there is no folder ${given}; GATEWAY_HOME names the folder of the gateway`, EXIT_MISUSED)
  }
  const home = realpathSync(given)
  const envFile = join(home, '.env')
  return {
    home,
    envFile,
    variables: () => readVariables(envFile),
    runBy: runBy(home),
  }
}

/** Why there is no installation in the default folder; undefined if there is one, or another folder is named. */
export function missingInstallation(env: Environment, folder = DEFAULT_HOME): string | undefined {
  if (env.GATEWAY_HOME?.trim()) return undefined
  try {
    const names = readdirSync(folder)
    if ([...COMPOSE_FILES, UNIT_FILE].some((name) => names.includes(name))) return undefined
    return `${folder} holds neither compose.yaml nor ${UNIT_FILE}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? `there is no folder ${folder}` : `${folder} cannot be read (${code})`
  }
}

/** Whether the portal is a container, whose paths are not those of this host. */
export function isPortalInContainer(env: Environment): boolean {
  try {
    return findInstallation(env).runBy.kind === 'compose'
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Empty if the file is missing. @throws {Failure} when it cannot be read, or the portal may read other values */
function readVariables(envFile: string): Environment {
  if (!existsSync(envFile)) return {}
  const { values, problems } = parseEnvFile(readBytes(envFile))
  if (problems.length === 0) return values
  const shown = problems.slice(0, MAXIMUM_PROBLEMS).map((problem) => `${envFile}:${problem}`)
  const more = problems.length - shown.length
  throw new Failure([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), EXIT_MISUSED)
}

/** A service whose unit reads a file of its own after `.env`: the file's values replace those of `.env`. */
export type OwnFile = 'terminator' | 'proxy' | 'lists'

/**
 * `.env`, then the file of each service, as systemd reads them: `proxy.env`. What cannot be read of these counts as missing.
 * @throws {Failure} as `readVariables`
 */
export function readServiceVariables(home: string, services: readonly OwnFile[]): Environment {
  return Object.assign(
    { ...readVariables(join(home, '.env')) },
    ...services.map((service) => readOwnFile(join(home, `${service}.env`))),
  )
}

function readOwnFile(path: string): Environment {
  try {
    return parseEnvFile(readFileSync(path)).values
  } catch {
    return {}
  }
}

function runBy(home: string): Installation['runBy'] {
  const file = COMPOSE_FILES.find((name) => existsSync(join(home, name)))
  const hasUnit = existsSync(join(home, UNIT_FILE))
  if (file !== undefined && hasUnit) {
    throw new Failure(`${home} holds both ${file} and ${UNIT_FILE}: remove the one that is not in use`, EXIT_MISUSED)
  }
  if (file !== undefined) return { kind: 'compose', file }
  if (!hasUnit) {
    throw new Failure(
      `${home} holds neither compose.yaml nor ${UNIT_FILE}; GATEWAY_HOME names the folder of the gateway`,
      EXIT_MISUSED,
    )
  }
  const unit = read(join(home, UNIT_FILE)).trim()
  if (!UNIT.test(unit)) {
    throw new Failure(`${join(home, UNIT_FILE)} must hold the name of a unit, such as portal.service`, EXIT_MISUSED)
  }
  return { kind: 'systemd', unit }
}

function read(path: string): string {
  return readBytes(path).toString()
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw fileFailure(path, 'read', error as NodeJS.ErrnoException)
  }
}
