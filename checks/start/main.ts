// `npm run check -- start`: follows docs/start.md on a new Debian machine, up to a browser that gets blocked.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, createBase, exitUnlessPossible, ROOT, runTests, workFolder } from '../packages/build.ts'

const HELP = `Usage: npm run check -- start

Builds the Debian packages, and pastes every command of docs/start.md, in its
order, into a Debian machine in a container. Chromium on that machine then opens
the guide's sites through Squid. Needs root. The machine's root is kept for a
week in node_modules/.cache.

Example:
  npm run check -- start
`
/** Of the device, and of the internet around the machine. */
const INCLUDED = ['chromium', 'dnsmasq-base', 'libnss3-tools']

const { values } = parseArgs({ options: { help: { type: 'boolean' } } })
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
exitUnlessPossible('start', 'openssl')
const work = workFolder()
const built = join(work, 'built')
const base = createBase(INCLUDED)
build(ROOT, built)
const variables = { PACKAGES_WORK: work, PACKAGES_BASE: base, PACKAGES_BUILT: built }
process.exitCode = runTests(join(import.meta.dirname, 'start.test.ts'), variables)
