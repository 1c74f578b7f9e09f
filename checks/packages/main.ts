// `npm run check -- packages`: builds the Debian packages in two versions, and tests them on a machine that systemd boots.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '#package' with { type: 'json' }
import { build, exitUnlessPossible, ROOT, runOnEach, selectSuites, workFolder } from './build.ts'

const HELP = `Usage: npm run check -- packages [--previous FOLDER] [--suite SUITE]

Builds the Debian packages, a second time for comparison, and with an earlier
version number; runs lintian; and on Debian 13 and 12, each in a container,
installs, configures, upgrades, rolls back, backs up, removes and purges them. A
second machine gets the backup, by the commands of docs/run.md. Needs root. The
machines' roots are kept for a week in node_modules/.cache.

  --previous FOLDER  the packages of the previous release, instead of those with
                     an earlier version number
  --suite SUITE      only on this Debian: trixie (13) or bookworm (12)

Examples:
  npm run check -- packages
  npm run check -- packages --previous /srv/releases/2026.47.0
`
const EARLIER = '2025.1.0'

const { values } = parseArgs({
  options: { help: { type: 'boolean' }, previous: { type: 'string' }, suite: { type: 'string' } },
})
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
const suites = selectSuites(values.suite)
exitUnlessPossible('packages', 'lintian')
const work = workFolder()
const [built, again] = [join(work, 'built'), join(work, 'again')]
for (const folder of [built, again]) build(ROOT, folder)
const earlier = resolve(values.previous ?? join(work, 'earlier'))
if (values.previous === undefined) build(earlierSources(join(work, 'sources')), earlier)
process.exitCode = runOnEach(suites, join(import.meta.dirname, 'packages.test.ts'), {
  PACKAGES_WORK: work,
  PACKAGES_BUILT: built,
  PACKAGES_AGAIN: again,
  PACKAGES_EARLIER: earlier,
})

/** These sources with an earlier version number. */
function earlierSources(folder: string): string {
  for (const name of [
    'CHANGELOG.md',
    'LICENSE',
    'deploy',
    'docs',
    'package-lock.json',
    'scripts',
    'src',
    'tsconfig.json',
  ]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8')
  writeFileSync(
    join(folder, 'package.json'),
    text.replace(`"version": "${packageJson.version}"`, `"version": "${EARLIER}"`),
  )
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
