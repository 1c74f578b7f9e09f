// The engine's configuration: the TOML file with what the command line overrides in it, or every problem at once.
import { parse, TomlError } from 'smol-toml'
import { deriveKeyring } from '../../contract/secret.ts'
import { type Policy, type Rule, withoutBrackets } from '../policy/policy.ts'
import type { CommandLine } from './command-line.ts'
import { type FileContent, fileShape } from './file-shape.ts'
import { describeIssue, wordIssue } from './problems.ts'

export interface Configuration {
  readonly policy: Policy
  /** `hostnames` are names of the control API beside the built-in ones. */
  readonly control: {
    readonly host: string
    /** 0 takes a free one. */
    readonly port: number
    readonly apiToken: string | undefined
    readonly hostnames: readonly string[]
  }
  readonly certificates: {
    readonly folder: string
    readonly organisation: string
    /** Whether the group of the portal's private key may read it. */
    readonly groupReadsKey: boolean
  }
  readonly warnings: readonly string[]
}

/** All that is wrong with the configuration; the message lists it, a line each, without secrets. */
export class ConfigurationProblems extends Error {
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    super([`The configuration has ${count}:`, ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.name = 'ConfigurationProblems'
  }
}

/**
 * Reads the whole configuration.
 * @param readFile gives a file's text; what it throws becomes a problem
 * @throws {ConfigurationProblems}
 */
export function loadConfiguration(commandLine: CommandLine, readFile: (path: string) => string): Configuration {
  const problems: string[] = []
  const read = (option: string, path: string): string | undefined => {
    try {
      return readFile(path)
    } catch (error) {
      problems.push(`--${option} ${path} cannot be read: ${(error as Error).message}`)
      return undefined
    }
  }
  const readSecret = (option: string, path: string | undefined) =>
    path === undefined ? undefined : read(option, path)?.replace(/\r?\n$/, '')

  const toml = read('config', commandLine.config)
  const file = toml === undefined ? undefined : parseToml(toml, problems)
  const overriding = {
    captive_portal: {
      secret: readSecret('secret-file', commandLine.secretFile),
      base_url: commandLine.baseUrl,
      hostnames: commandLine.hostnames,
    },
    control: { listen: commandLine.listen, api_token: readSecret('api-token-file', commandLine.apiTokenFile) },
    certificates: {
      folder: commandLine.publish,
      organisation: commandLine.organisation,
      group_reads_key: commandLine.groupReadsKey,
    },
  }
  if (file === undefined) throw new ConfigurationProblems(problems)
  const result = fileShape.safeParse(overlay(file, overriding), { error: wordIssue })
  problems.push(...(result.error?.issues.flatMap(describeIssue) ?? []), ...repeatedNames(file.rules))
  if (!result.success || problems.length > 0) throw new ConfigurationProblems(problems)
  return toConfiguration(result.data)
}

type Table = Record<string, unknown>

function parseToml(toml: string, problems: string[]): Table | undefined {
  try {
    return parse(toml)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its further lines quote the file, secrets and all.
    const [what] = error.message.split('\n')
    problems.push(`line ${error.line}, column ${error.column}: ${what}`)
    return undefined
  }
}

/** The file's tables, with the values that the command line gives. */
function overlay(file: Table, overriding: Readonly<Record<string, Table>>): Table {
  const result = { ...file }
  for (const [name, values] of Object.entries(overriding)) {
    const given = Object.entries(values).filter(([, value]) => value !== undefined)
    const table = result[name] ?? {}
    if (typeof table === 'object') result[name] = { ...table, ...Object.fromEntries(given) }
  }
  return result
}

/** Sessions, counts and logs go by a rule's name. Looked at in the raw file, so that no other problem hides it. */
function repeatedNames(rules: unknown): string[] {
  const names: unknown[] = Array.isArray(rules) ? rules.map((rule: Partial<Table> | null) => rule?.name) : []
  return names.flatMap((name, index) => {
    const first = names.indexOf(name)
    return name === undefined || first === index ? [] : [`rules[${index + 1}].name is that of rules[${first + 1}]`]
  })
}

function toConfiguration(file: FileContent): Configuration {
  const { folder, organisation, group_reads_key: groupReadsKey } = file.certificates
  return {
    policy: {
      baseUrl: file.captive_portal.base_url,
      portalNames: [withoutBrackets(new URL(file.captive_portal.base_url).hostname), ...file.captive_portal.hostnames],
      keyring: deriveKeyring(file.captive_portal.secret),
      acknowledgementMs: file.acknowledgement_minutes * 60_000,
      rules: file.rules.map((rule) => toRule(rule, file)),
    },
    control: { ...file.control.listen, apiToken: file.control.api_token, hostnames: file.control.hostnames },
    certificates: { folder, organisation, groupReadsKey },
    warnings:
      file.certificates.crl_url === undefined
        ? []
        : ['certificates.crl_url is ignored: the engine publishes no revocation list; remove the key'],
  }
}

function toRule(rule: FileContent['rules'][number], file: FileContent): Rule {
  const { name, description, category, match } = rule
  const common = { name, description, category, match }
  if (rule.action === 'allow' || rule.action === 'block') return { ...common, action: rule.action }
  return {
    ...common,
    action: rule.action,
    acknowledge: rule.acknowledge,
    sessionMs: (rule.session_minutes ?? file.session_minutes) * 60_000,
    override: rule.override && {
      type: rule.override.type,
      code: rule.override.code,
      prompt: rule.override.prompt,
      attempts: rule.override.attempts ?? file.override.attempts,
      lockoutMs: (rule.override.lockout_seconds ?? file.override.lockout_seconds) * 1000,
    },
  }
}
