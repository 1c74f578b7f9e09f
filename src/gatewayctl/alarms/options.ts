// What the commands of alarms have in common: where the engine's file and the state are, and the gateway's name.
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Environment } from '../../settings/reading.ts'
import type { Context } from '../context.ts'
import { DEFAULT_HOME } from '../deployment/installation.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import { Failure } from '../failure.ts'
import type { SecretOptions } from './deliver.ts'

export interface SectionOptions extends SecretOptions {
  readonly config?: string
}

const DEFAULT_STATE = '/var/lib/gateway-alarms/alarms.json'

export const SECTION = `
The section [alarms] is in the engine's file: --config, GATEWAY_ENGINE_POLICY,
or engine/policy.toml in GATEWAY_HOME (default: /etc/gateway). docs/alarms.md
describes it.`

export function withSectionOptions(command: Command): Command {
  return command
    .addOption(new Option('--config <file>', "the engine's file"))
    .addOption(new Option('--password-file <file>', 'instead of alarms.password_file'))
    .addOption(new Option('--webhook-token-file <file>', 'instead of alarms.webhook_token_file'))
}

export function stateOption(): Option {
  return new Option('--state <file>', 'what is remembered between rounds').default(DEFAULT_STATE)
}

export function sectionPath({ env }: Context, { config }: SectionOptions): string {
  const home = env.GATEWAY_HOME?.trim() || DEFAULT_HOME
  return config ?? (variables(env).GATEWAY_ENGINE_POLICY?.trim() || join(home, 'engine', 'policy.toml'))
}

/** For subjects: the portal's host, or this machine's name. */
export function gatewayName({ env }: Context): string {
  return variables(env).GATEWAY_CAPTIVE_HOSTNAME?.trim() || hostname()
}

/** A damaged .env must not keep an alarm from being sent. */
function variables(env: Environment): Environment {
  try {
    return portalVariables(env)
  } catch (error) {
    if (error instanceof Failure) return env
    throw error
  }
}

/** Where the state is, and where it is while that folder cannot be written: on a full disk, for example. */
export function stateFiles(state: string, { env }: Context): readonly string[] {
  const folder = env.RUNTIME_DIRECTORY?.trim()
  return folder === undefined || folder === '' || dirname(state) === folder
    ? [state]
    : [state, join(folder, 'alarms.json')]
}
