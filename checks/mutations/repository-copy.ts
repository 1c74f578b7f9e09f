// A copy of the repository in which mutations are made: the work tree itself is never changed.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Mutation, mutated } from './mutation.ts'

export interface RepositoryCopy {
  readonly folder: string
  /** Runs something with the mutation in place. @throws {Error} as `mutated` */
  withMutation<Result>(mutation: Mutation, run: () => Promise<Result>): Promise<Result>
  remove(): void
}

/** Files that git tracks or does not ignore, as they are in the work tree, and the dependencies. */
export function copyRepository(root: string): RepositoryCopy {
  const folder = mkdtempSync(join(tmpdir(), 'mutations-'))
  // Squid and nginx run as other users.
  chmodSync(folder, 0o755)
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0')
  for (const path of paths.filter((one) => one !== '' && existsSync(join(root, one)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(root, path), join(folder, path))
  }
  // No symbolic link: programs that may read only their own folder would not start. Another file system has no hard links to it.
  const dependencies = [join(root, 'node_modules'), folder]
  if (spawnSync('cp', ['-al', ...dependencies]).status !== 0) execFileSync('cp', ['-a', ...dependencies])
  return {
    folder,
    async withMutation(mutation, run) {
      const path = join(folder, mutation.file)
      const original = readFileSync(path, 'utf8')
      writeFileSync(path, mutated(original, mutation))
      try {
        return await run()
      } finally {
        writeFileSync(path, original)
      }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
