// The gateway that a verb reads or changes, and the options that several verbs share.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { LOCALES } from '../../../settings/sections/locales.ts'
import type { Context } from '../../context.ts'
import { findInstallation, type Installation } from '../../deployment/installation.ts'
import { underLock } from './lock.ts'
import { findTexts, type Texts } from './texts.ts'

export interface Gateway {
  readonly installation: Installation
  readonly texts: Texts
}

/** For a verb that changes something. @throws {Failure} while another gatewayctl does */
export async function changeGateway(context: Context, work: (gateway: Gateway) => Promise<void>): Promise<void> {
  const gateway = findGateway(context)
  await underLock(context, gateway.installation, () => work(gateway))
}

export function findGateway({ env }: Pick<Context, 'env'>): Gateway {
  const installation = findInstallation(env)
  return { installation, texts: findTexts(installation) }
}

const STEADY_SECONDS = 10

export const withSteady = (command: Command): Command =>
  command.addOption(
    new Option('--steady <seconds>', 'how long the portal has to stay healthy')
      .argParser(parseSeconds)
      .default(STEADY_SECONDS),
  )

export const withLocale = (command: Command): Command =>
  command.addOption(new Option('--locale <locale>', 'the text of this language').choices(LOCALES))

function parseSeconds(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(seconds <= 600)) throw new InvalidArgumentError('It must be a whole number from 0 to 600.')
  return seconds
}
