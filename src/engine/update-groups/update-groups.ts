// `engine update-groups GROUPS.TOML FOLDER`: reads groups from a directory, such as Active Directory, into the files of the policy's
// groups. docs/policy.md, "Updating groups", describes it.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Client } from 'ldapts'
import { ConfigProblems } from '../../settings/problems.ts'
import { trustSystemCertificates } from '../system-certificates.ts'
import { faultOf, openDirectory } from './directory.ts'
import { replaceGroupFile } from './group-file.ts'
import { membersOf } from './members.ts'
import { type GroupSettings, readGroupSettings } from './settings.ts'

const USAGE = 'Usage: engine update-groups GROUPS.TOML FOLDER [--password-file FILE] [--accept-losses]\n'

interface Options {
  readonly conf: string
  readonly folder: string
  readonly passwordFile: string | undefined
  readonly acceptsLosses: boolean
}

/**
 * Prints a line for each file.
 * @returns the exit status: 1 if a file could not be updated, which stays as it was; 2 for wrong arguments or settings
 */
export async function updateGroups(args: readonly string[]): Promise<0 | 1 | 2> {
  const options = parseOptions(args)
  if (options === undefined) return misconfigured(USAGE)
  try {
    return await update(options, readGroupSettings(options.conf, options.passwordFile))
  } catch (error) {
    if (error instanceof ConfigProblems) return misconfigured(`${error.message}\n`)
    throw error
  }
}

function parseOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'password-file': { type: 'string' }, 'accept-losses': { type: 'boolean' } },
    })
    const [conf, folder, ...others] = positionals
    if (conf === undefined || folder === undefined || others.length > 0) return undefined
    return { conf, folder, passwordFile: values['password-file'], acceptsLosses: values['accept-losses'] ?? false }
  } catch {
    return undefined
  }
}

async function update({ folder, acceptsLosses }: Options, { directory, groups }: GroupSettings): Promise<0 | 1> {
  trustSystemCertificates()
  const client = await openDirectory(directory).catch((error: Error) => {
    process.stderr.write(`no server of the directory can be used; all files stay as they are: ${error.message}\n`)
  })
  if (client === undefined) return 1
  let status: 0 | 1 = 0
  for (const [file, group] of groups) {
    try {
      const members = await membersOf(client, group, directory)
      process.stdout.write(`${file}: ${await replaceGroupFile(join(folder, file), members, acceptsLosses)}\n`)
    } catch (error) {
      status = 1
      process.stderr.write(`${file}: ${faultOf(error)}\n`)
    }
  }
  await close(client)
  return status
}

/** Everything has been read and written. */
async function close(client: Client): Promise<void> {
  await client.unbind().catch(() => {})
}

function misconfigured(message: string): 2 {
  process.stderr.write(message)
  return 2
}
