// What the portal starts with: its configuration, and the operator's texts that this names.
import { type PolicyTexts, readPolicyTexts, readPrivacyTexts } from '../../aup/policy-texts.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import type { Environment } from '../../settings/reading.ts'
import { type Config, readConfig } from './config.ts'

export interface PortalConfig {
  readonly config: Config
  readonly warnings: readonly string[]
  /** Undefined if the built-in policy is shown. */
  readonly policyTexts: PolicyTexts | undefined
  /** What the operator adds to the privacy notice; undefined without a file. */
  readonly privacyTexts: PolicyTexts | undefined
}

/**
 * Reads the configuration and the operator's texts.
 * @throws {ConfigProblems} with all their problems
 */
export async function loadPortalConfig(env: Environment): Promise<PortalConfig> {
  const { config, warnings, problems } = readConfig(env)
  const policy = await readPolicyTexts(config.policy, config.locales)
  const privacy = await readPrivacyTexts(config.policy, config.locales)
  const all = [...problems, ...policy.problems, ...privacy.problems]
  if (all.length > 0) throw new ConfigProblems(all)
  return { config, warnings, policyTexts: policy.texts, privacyTexts: privacy.texts }
}
