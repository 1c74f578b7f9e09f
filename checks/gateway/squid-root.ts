// A small Debian with its Squid, for tests that run it in place of this machine's (TEST_SQUID_ROOT).
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param suite the Debian release
 * @returns the path of its root folder, in `folder`; undefined when mmdebstrap is missing
 * @throws {Error} when it fails
 */
export function installSquid(suite: string, folder: string): string | undefined {
  const root = join(folder, suite)
  // Node needs libatomic.
  const packages = 'squid-openssl,libatomic1'
  const args = ['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', `--include=${packages}`, suite, root]
  process.stdout.write(`== ${suite}\n`)
  const { status, error } = spawnSync('mmdebstrap', args, { stdio: 'inherit' })
  if (error !== undefined) {
    process.stderr.write('apt-get install mmdebstrap\n')
    return undefined
  }
  if (status !== 0) throw new Error(`mmdebstrap cannot install ${suite}`)
  // mmdebstrap's also has ::1 for localhost, where the tests' portal does not listen.
  writeFileSync(join(root, 'etc', 'hosts'), '127.0.0.1 localhost\n')
  return root
}
