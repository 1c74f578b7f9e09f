// Sends a message by the configured channels, each within a bounded time. What they need from files is read here.
import { dirname, resolve } from 'node:path'
import { readRegularFile, readSecretFile, readStartOrFault } from '../../settings/file.ts'
import type { AlarmSettings } from '../../settings/sections/alarms.ts'
import { visibleAscii } from '../../settings/shapes.ts'
import { Failure } from '../failure.ts'
import { sendMail } from './mail.ts'
import type { Message } from './message.ts'
import type { Channel } from './rounds.ts'
import { postMessage } from './webhook.ts'

export interface SecretOptions {
  readonly passwordFile?: string
  readonly webhookTokenFile?: string
}

export interface Delivery {
  /** The engine's file: paths in the section are relative to its folder. */
  readonly path: string
  readonly settings: AlarmSettings
  /** They replace paths of the section, where it has them. */
  readonly options: SecretOptions
}

/** A credential of systemd that stands for a missing file. */
const NONE = 'none'
const token = visibleAscii(1, 4096)

export function channelsOf({ to, webhook }: AlarmSettings): readonly Channel[] {
  return [...(to === undefined ? [] : (['mail'] as const)), ...(webhook === undefined ? [] : (['webhook'] as const))]
}

/** @returns what the other side answered. @throws {Failure} with why it was not sent */
export async function deliver(channel: Channel, message: Message, delivery: Delivery): Promise<string> {
  const { settings, options } = delivery
  const roots = readRoots(delivery)
  if (channel === 'mail') {
    const password = readSecret('password_file', settings.password_file, options.passwordFile, delivery)
    return await sendMail(message, { settings, password, roots })
  }
  const secret = readSecret('webhook_token_file', settings.webhook_token_file, options.webhookTokenFile, delivery)
  if (secret !== undefined && !token.safeParse(secret).success) {
    throw new Failure(`alarms.webhook_token_file must name a file with ${token.description}`)
  }
  return await postMessage(message, { url: settings.webhook as URL, token: secret, roots })
}

function readSecret(
  key: string,
  named: string | undefined,
  instead: string | undefined,
  { path }: Delivery,
): string | undefined {
  if (named === undefined) return undefined
  const given = instead === undefined ? undefined : readSecretFile(instead, readRegularFile).text
  if (given !== undefined && given !== NONE) return given
  const { text, fault } = readSecretFile(resolve(dirname(path), named), readRegularFile)
  if (text === undefined) throw new Failure(`alarms.${key} ${fault}`)
  return text
}

/** CAs in PEM, instead of the system's. */
function readRoots({ path, settings }: Delivery): string | undefined {
  if (settings.ca_file === undefined) return undefined
  const { bytes, fault } = readStartOrFault(resolve(dirname(path), settings.ca_file), readRegularFile)
  if (bytes === undefined) throw new Failure(`alarms.ca_file ${fault}`)
  const text = Buffer.from(bytes).toString('latin1')
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Failure('alarms.ca_file must have a certificate in PEM')
  return text
}
