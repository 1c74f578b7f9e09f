// Writes the documentation that is generated from the source. A test holds the committed files against it.
import { writeFileSync } from 'node:fs'
import { loadConfig, sections } from '../src/config/config.ts'
import { ConfigProblems } from '../src/config/problems.ts'
import type { Section } from '../src/config/section.ts'
import type { Variable } from '../src/config/variable.ts'
import { auditLogPage, auditLogSchema } from './audit-log-page.ts'

if (import.meta.main) {
  const write = (name: string, text: string) => writeFileSync(new URL(`../docs/${name}`, import.meta.url), text)
  write('configuration.md', configurationPage())
  write('audit-log.md', auditLogPage())
  write('audit-log.schema.json', auditLogSchema())
}

/** The whole of docs/configuration.md. */
export function configurationPage(): string {
  return `<!-- Generated from src/config by \`npm run docs\`; change it there. -->

# Configuration

The portal is configured by environment variables alone, read once, at its start.

- White space around a value is ignored. An empty value means the same as an unset variable, except where a table below
  says what it means. Words such as \`true\` or \`on\` are spelt exactly as the tables spell them.
- A variable with a \`_FILE\` name beside it holds a secret. Either the variable holds the value, or the \`_FILE\` variable
  holds the path of a file that does: UTF-8, at most 64 KiB. Setting both is an error.
- Where a variable has a short name, that is read when the variable itself is unset.
- Relative paths are resolved against the working folder.
- A name that begins with \`GATEWAY_CAPTIVE_\` and is not listed here is named in a warning, with the nearest known name.

When a value breaks its rule, the portal does not start. It names every problem at once, never with the value of a secret,
and exits with status 2:

\`\`\`
${exampleProblems()}
\`\`\`
${sections.map(sectionText).join('')}`
}

function exampleProblems(): string {
  try {
    loadConfig({
      GATEWAY_CAPTIVE_SHARED_SECRET: 'short',
      GATEWAY_CAPTIVE_SECRET_KEY: '0123456789-abcdefghij-ABCDEFGHIJ',
      GATEWAY_CAPTIVE_LISTEN_PORT: 'http',
    })
  } catch (error) {
    if (error instanceof ConfigProblems) return error.message
    throw error
  }
  throw new Error('the example must have problems')
}

function sectionText({ title, variables }: Section<unknown>): string {
  const rows = Object.entries(variables).map(([name, variable]) =>
    row(names(name, variable), variable.purpose, value(variable), defaultText(variable)),
  )
  return `
## ${title}

| Variable | Purpose | Value | Default |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function names(name: string, { secret, shortName }: Variable): string {
  if (secret) return `\`${name}\`, \`${name}_FILE\``
  return shortName === undefined ? `\`${name}\`` : `\`${name}\`, short \`${shortName}\``
}

function value({ shape, empty }: Variable): string {
  const rule = `${shape.description}`.replaceAll('<', '\\<')
  return empty === undefined ? rule : `${rule}; empty: ${empty}`
}

function defaultText(variable: Variable): string {
  if (variable.defaultNote !== undefined) return variable.defaultNote
  if (variable.required) return 'none; required'
  return variable.default === undefined ? 'unset' : `\`${variable.default}\``
}
