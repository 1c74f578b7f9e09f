// `engine update-groups GROUPS.TOML FOLDER`: reads groups from a directory, such as Active Directory, into the files of the policy's
// groups. docs/policy.md, "Updating groups", describes it.
import { join } from 'node:path'
import { ConfigProblems } from '../../settings/problems.ts'
import { misconfigured, parseJobArguments } from '../job-arguments.ts'
import { trustSystemCertificates } from '../system-certificates.ts'
import { faultOf, openDirectory } from './directory.ts'
import { replaceGroupFile } from './group-file.ts'
import { membersOf } from './members.ts'
import { type GroupSettings, readGroupSettings } from './settings.ts'

const USAGE = 'Usage: engine update-groups GROUPS.TOML FOLDER [--password-file FILE]\n'

const OPTIONS = { 'password-file': { type: 'string' } } as const

/**
 * Prints a line for each file.
 * @returns the exit status: 1 if a file could not be updated, which stays as it was; 2 for wrong arguments or settings
 */
export async function updateGroups(args: readonly string[]): Promise<0 | 1 | 2> {
  const given = parseJobArguments(args, OPTIONS)
  if (given === undefined) return misconfigured(USAGE)
  const { conf, folder, values } = given
  try {
    return await update(folder, readGroupSettings(conf, values['password-file']))
  } catch (error) {
    if (error instanceof ConfigProblems) return misconfigured(`${error.message}\n`)
    throw error
  }
}

async function update(folder: string, { directory, groups }: GroupSettings): Promise<0 | 1> {
  trustSystemCertificates()
  const client = await openDirectory(directory).catch((error: Error) => {
    process.stderr.write(`no server of the directory can be used; all files stay as they are: ${error.message}\n`)
  })
  if (client === undefined) return 1
  let status: 0 | 1 = 0
  for (const [file, group] of groups) {
    try {
      const members = await membersOf(client, group, directory)
      process.stdout.write(`${file}: ${await replaceGroupFile(join(folder, file), members)}\n`)
    } catch (error) {
      status = 1
      process.stderr.write(`${file}: ${faultOf(error)}\n`)
    }
  }
  // Everything has been read and written.
  await client.unbind().catch(() => {})
  return status
}
