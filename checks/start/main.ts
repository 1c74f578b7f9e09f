// `npm run check -- start`: follows docs/start.md on a new Debian machine, up to a browser that gets blocked.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, exitUnlessPossible, ROOT, runOnEach, selectSuites, workFolder } from '../packages/build.ts'

const HELP = `Usage: npm run check -- start [--suite SUITE]

Builds the Debian packages, and pastes every command of docs/start.md, in its
order, into Debian 13 and 12, each in a container. Chromium on that machine then
opens the guide's sites through Squid. Needs root. The machines' roots are kept
for a week in node_modules/.cache.

  --suite SUITE  only on this Debian: trixie (13) or bookworm (12)

Examples:
  npm run check -- start
  npm run check -- start --suite trixie
`
/** Of the device, and of the internet around the machine. */
const INCLUDED = ['chromium', 'dnsmasq-base', 'libnss3-tools']

const { values } = parseArgs({ options: { help: { type: 'boolean' }, suite: { type: 'string' } } })
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
const suites = selectSuites(values.suite)
exitUnlessPossible('start', 'openssl')
const work = workFolder()
const built = join(work, 'built')
build(ROOT, built)
const variables = { PACKAGES_WORK: work, PACKAGES_BUILT: built }
process.exitCode = runOnEach(suites, join(import.meta.dirname, 'start.test.ts'), variables, INCLUDED)
