// The Squid that is installed: whether it can decrypt, and where its files are.
import { execFile, execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../settings/reading.ts'

export interface SquidProgram {
  /** As a number, such as 6.13. */
  readonly version: string
  /** The path of the program that issues certificates. */
  readonly certificateGenerator: string
  /** The folder of its error pages. */
  readonly errorTemplates: string
  /** That it runs in. */
  readonly env: Environment
}

/** Where packages install programs that Squid runs, if Squid reports a folder that does not have them. */
const HELPER_FOLDERS = ['/usr/lib/squid', '/usr/lib64/squid', '/usr/libexec/squid']

/** Of what Squid says while it reads a configuration. */
const PROBLEM = /^(?:.*\| *)?(FATAL.*|ERROR.*|\S+: unrecognized: .*)$/gm

/** @returns the reason, if there is none, or one that cannot decrypt */
export function findSquid(environment: Environment): SquidProgram | { readonly reason: string } {
  const env = { ...environment, PATH: `${environment.PATH ?? ''}:/usr/sbin:/usr/local/sbin`, LC_ALL: 'C' }
  let build: string
  try {
    build = execFileSync('squid', ['-v'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return { reason: 'Squid is not installed (Debian: squid-openssl)' }
  }
  if (!build.includes('--enable-ssl-crtd')) {
    return { reason: 'this Squid cannot decrypt: install the build with OpenSSL (Debian: squid-openssl)' }
  }
  const option = (name: string) => new RegExp(`'--${name}=([^']*)'`).exec(build)?.[1] ?? ''
  const certificateGenerator = [option('libexecdir'), ...HELPER_FOLDERS]
    .map((folder) => join(folder, 'security_file_certgen'))
    .find(isExecutable)
  if (certificateGenerator === undefined) return { reason: "Squid's security_file_certgen is not installed" }
  const version = /Version (\d+(?:\.\d+)*)/.exec(build)?.[1] ?? ''
  return { version, certificateGenerator, errorTemplates: join(option('datadir'), 'errors', 'templates'), env }
}

/** Has Squid read a configuration. @returns what it does not accept; undefined if it accepts everything */
export async function configurationProblem({ env }: SquidProgram, file: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  execFile('squid', ['-k', 'parse', '-f', file], { env, maxBuffer: 64 * 2 ** 20 }, (error, output, errors) => {
    if (error === null) return resolve(undefined)
    const lines = Array.from(`${output}${errors}`.matchAll(PROBLEM), ([, line]) => line)
    // Not the error's message: it contains what Squid has read, with the token.
    resolve(lines.slice(0, 3).join(' ') || `squid -k parse ended with status ${error.code}`)
  })
  return await promise
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
