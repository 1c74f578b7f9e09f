// The engine's settings: the TOML file and the options that replace its keys, as one value or every problem at once.
import { readFileSync } from 'node:fs'
import type { ReadFile } from '../../config/file.ts'
import { ConfigProblems } from '../../config/problems.ts'
import { readTomlFile, type TomlReading } from '../../config/toml-file.ts'
import { deriveKeyring } from '../../contract/secret.ts'
import { withoutBrackets } from '../policy/host-pattern.ts'
import type { Policy, Rule } from '../policy/policy.ts'
import { type CommandLine, fileOptions } from './command-line.ts'
import { type FileContent, fileShape, SECRET_KEYS } from './file-shape.ts'

export interface Settings {
  readonly policy: Policy
  /** `hostnames` are further names in the control API's certificate. */
  readonly control: {
    readonly host: string
    /** 0 selects a free port. */
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

/**
 * Reads all settings.
 * @throws {ConfigProblems}
 */
export function loadSettings(commandLine: CommandLine, readFile: ReadFile = readFileSync): Settings {
  const reading = readTomlFile({
    path: commandLine.config,
    readFile,
    options: fileOptions(commandLine),
    secretKeys: SECRET_KEYS,
  })
  const file = reading.parse(fileShape)
  reportRepeatedNames(reading)
  if (file === undefined || reading.problems().length > 0) throw new ConfigProblems(reading.problems())
  return toSettings(file)
}

/** Sessions, counts and logs are keyed by the rule's name. Reads the raw file, so that no other problem hides this one. */
function reportRepeatedNames({ tables, problem }: TomlReading): void {
  const rules = tables?.rules
  const names: unknown[] = Array.isArray(rules) ? rules.map((rule) => rule?.name) : []
  names.forEach((name, index) => {
    const first = names.indexOf(name)
    if (name !== undefined && first < index)
      problem(['rules', index, 'name'], `must differ from rules[${first + 1}].name`)
  })
}

function toSettings(file: FileContent): Settings {
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
