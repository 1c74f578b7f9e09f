// Writes the documentation that is generated from the source. `.ci/run` fails when the committed files differ.
import { readFileSync, writeFileSync } from 'node:fs'
import { loadConfig, sections } from '../src/portal/settings/config.ts'
import { ConfigProblems } from '../src/settings/problems.ts'
import type { Section } from '../src/settings/section.ts'
import { proxy } from '../src/settings/sections/proxy.ts'
import type { Variable } from '../src/settings/variable.ts'
import { auditLogPage, auditLogSchema } from './audit-log-page.ts'
import { engineAuditLogPage, engineAuditLogSchema } from './engine-audit-log-page.ts'
import { listItem } from './list-item.ts'

/** Values that purpose and default show; a wrong one is reported with its limits. */
const OBVIOUS =
  /^(?:the path of|a path of|one line of|a whole number|ports from|a host name|text of|true or|on or|yes or|json or|production or|a URL|an http or|a link|locales of|at most|\d+ to)/

if (import.meta.main) {
  const path = (name: string) => new URL(`../docs/${name}`, import.meta.url)
  const write = (name: string, text: string) => writeFileSync(path(name), text)
  write('configuration.md', configurationPage())
  write('proxy.md', proxyPage(readFileSync(path('proxy.md'), 'utf8')))
  write('audit-log.md', auditLogPage())
  write('audit-log.schema.json', auditLogSchema())
  write('engine-audit-log.md', engineAuditLogPage())
  write('engine-audit-log.schema.json', engineAuditLogSchema())
}

/** The whole of docs/configuration.md. */
function configurationPage(): string {
  return `<!-- Generated from src/portal/settings and src/settings/sections by \`npm run docs\`; change it there. -->

# Configuration

The portal's environment variables, with their defaults, are read once, at its start. An empty value means unset, except where
stated. A secret is the variable's value, or in the file that its \`_FILE\` variable names. An unknown name that begins with
\`GATEWAY_CAPTIVE_\`, or resembles a known one, causes a warning. If a value is invalid, the portal lists every problem, and
exits with status 2:

\`\`\`text
${exampleProblems()}
\`\`\`
${sections.map(sectionText).join('')}`
}

function exampleProblems(): string {
  try {
    loadConfig({
      GATEWAY_CAPTIVE_SHARED_SECRET: 'short',
      GATEWAY_CAPTIVE_SECRET_KEY: '0123456789-abcdefghij-ABCDEFGHIJ',
      GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
      GATEWAY_CAPTIVE_LISTEN_PORT: 'http',
    })
  } catch (error) {
    if (error instanceof ConfigProblems) return error.message
    throw error
  }
  throw new Error('the example must have problems')
}

/** docs/proxy.md with the list of the proxy's settings. */
function proxyPage(current: string): string {
  const own = Object.entries(proxy.variables).filter(([name]) => name.startsWith('PROXY_'))
  const between = /(<!-- settings: generated .*-->\n)[\s\S]*?(<!-- end of the settings -->)/
  return current.replace(between, (_, start: string, end: string) => `${start}\n${list(own)}\n\n${end}`)
}

function sectionText({ title, variables }: Section<unknown>): string {
  return `
## ${title}

${list(Object.entries(variables))}
`
}

function list(variables: readonly (readonly [string, Variable])[]): string {
  return variables.map(([name, variable]) => item(name, variable)).join('\n')
}

function item(name: string, variable: Variable): string {
  const { purpose } = variable
  return listItem(`${names(name, variable)} (${defaultText(variable)}): ${purpose}${value(variable)}`)
}

function names(name: string, { secret, shortName }: Variable): string {
  if (secret) return `\`${name}\`, \`${name}_FILE\``
  return shortName === undefined ? `\`${name}\`` : `\`${name}\`, short \`${shortName}\``
}

function value({ shape, empty }: Variable): string {
  const rule = `${shape.description}`.replaceAll('<', '\\<')
  const values = OBVIOUS.test(rule) ? '' : ` Value: ${rule}.`
  return empty === undefined ? values : `${values} Empty: ${empty}.`
}

function defaultText(variable: Variable): string {
  if (variable.defaultNote !== undefined) return variable.defaultNote
  if (variable.required) return 'none; required'
  return variable.default === undefined ? 'unset' : `\`${variable.default}\``
}
