// The proxy as tests run it: it looks for changes more often, and can ignore those of this machine's addresses.
//
//   node test/proxy/main.ts FOLDER follow|ignore
//
// FOLDER has what deploy/proxy has.
import { type Machine, readMachine } from '../../src/proxy/machine.ts'
import { runProxy } from '../../src/proxy/process.ts'
import { readTemplates } from '../../src/proxy/squid/templates.ts'

const [folder, addresses] = process.argv.slice(2)
let first: Machine | undefined
await runProxy({
  env: process.env,
  args: [],
  templates: readTemplates(folder),
  machine(isInContainer) {
    if (addresses === 'follow') return readMachine(isInContainer)
    first ??= readMachine(isInContainer)
    return first
  },
  pollMilliseconds: 200,
})
