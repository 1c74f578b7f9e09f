// The program: see process.ts.
import { readMachine } from './machine.ts'
import { runProxy } from './process.ts'
import { readTemplates } from './squid/templates.ts'

await runProxy({
  env: process.env,
  args: process.argv.slice(2),
  templates: readTemplates(),
  machine: readMachine,
  pollMilliseconds: 2_000,
})
