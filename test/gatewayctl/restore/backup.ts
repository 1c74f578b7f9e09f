// Archives as the nightly backup writes them, by the real tar and age, and others that no backup writes.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '#package' with { type: 'json' }
import type { Owners } from '../../../src/gatewayctl/restore/staging.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { hasCommand, skipUnless } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export const skipWithoutAge = skipUnless(
  hasCommand('age') && hasCommand('age-keygen'),
  'needs age: apt-get install age',
)

export interface Key {
  readonly file: string
  readonly recipient: string
}

export interface Packed {
  /** By path relative to /. */
  readonly files?: Readonly<Record<string, string>>
  /** Arguments of tar after these files. */
  readonly tar?: readonly string[]
  /** What age encrypts, instead of an archive of tar. */
  readonly bytes?: Uint8Array
}

/** Everything belongs to the user of the test. */
export const OWN: Owners = (() => {
  const names = [
    'root',
    'gateway',
    'gateway-bump',
    ...'portal engine terminator lists groups proxy'.split(' ').map((name) => `gateway-${name}`),
  ]
  const numbers = (id: number) => new Map(names.map((name) => [name, id] as const))
  return { users: numbers(process.getuid?.() ?? 0), groups: numbers(process.getgid?.() ?? 0) }
})()

export function createKey(t: Cleanup): Key {
  const file = join(temporaryFolder(t), 'backup.key')
  execFileSync('age-keygen', ['--output', file], { stdio: 'ignore' })
  const recipient = execFileSync('age-keygen', ['-y', file], { encoding: 'utf8' }).trim()
  return { file, recipient }
}

/** @returns the path of the archive, whose name ends in `name` */
export function createArchive(
  t: Cleanup,
  { recipient }: Key,
  name: string,
  { files = {}, tar = [], bytes }: Packed,
): string {
  const folder = temporaryFolder(t)
  const plain = join(folder, 'plain.tar.gz')
  if (bytes !== undefined) writeFileSync(plain, bytes)
  else {
    const root = join(folder, 'root')
    mkdirSync(root)
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    const options = ['--create', '--gzip', '--file', plain, '-C', root]
    execFileSync('tar', [...options, ...Object.keys(files), ...tar], { stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const archive = join(folder, `gateway-${name}.tar.gz.age`)
  execFileSync('age', ['--encrypt', '--recipient', recipient, '--output', archive, plain])
  rmSync(plain)
  return archive
}

/** Without its last bytes. */
export function cutOff(t: Cleanup, archive: string, bytes: number): string {
  const cut = join(temporaryFolder(t), 'cut.tar.gz.age')
  writeFileSync(cut, readFileSync(archive).subarray(0, -bytes))
  return cut
}

export const manifest = (lines: Readonly<Record<string, string>> = {}): string =>
  Object.entries({
    ...{ version: packageJson.version, time: '2026-11-27T03:30:12Z', host: 'gw1', addresses: '', enabled: '' },
    ...lines,
  })
    .map(([name, value]) => `${name} ${value}\n`)
    .join('')
