// The gateway as a verb meets it: what an interrupted call left is put in order first, and the operator is told of it.

import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { LOCALES } from '../../../config/locales.ts'
import { findInstallation, type Installation } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'
import type { World } from '../../world.ts'
import { recover, say } from './change.ts'
import { journalPath } from './journal.ts'
import { Locked, underLock } from './lock.ts'
import { findTexts, type Texts } from './texts.ts'

export interface Gateway {
  readonly installation: Installation
  readonly texts: Texts
}

/** For a verb that changes something: nobody else does meanwhile. */
export async function changing(world: World, work: (gateway: Gateway) => Promise<void>): Promise<void> {
  const gateway = findGateway(world)
  await underLock(world, gateway.installation, async () => {
    await putInOrder(world, gateway)
    await work(gateway)
  })
}

/** For a verb that only looks; it works for whoever may not change anything, too. */
export async function looking(world: World): Promise<Gateway> {
  const gateway = findGateway(world)
  if (!existsSync(journalPath(gateway.installation))) return gateway
  try {
    await underLock(world, gateway.installation, () => putInOrder(world, gateway))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const found = error instanceof Locked ? '' : 'a change was interrupted, and is still to be put back: '
    say(world, `${found}${error.message}`)
  }
  return gateway
}

async function putInOrder(world: World, { installation, texts }: Gateway): Promise<void> {
  const result = await recover(world, installation, texts)
  if (result !== undefined) say(world, result)
}

function findGateway({ env }: World): Gateway {
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
