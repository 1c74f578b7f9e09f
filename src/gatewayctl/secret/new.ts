// `secret new`: for GATEWAY_CAPTIVE_SHARED_SECRET, GATEWAY_CAPTIVE_SECRET_KEY, and any other secret.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { newSecret } from './generate.ts'

const MAXIMUM = 1000

export function newSecretCommand(context: Context): Command {
  return createCommand(context, 'new', {
    purpose: 'Prints a new secret.',
    details: `
256 random bits in 43 letters, digits, hyphens and underscores. Use one for
GATEWAY_CAPTIVE_SHARED_SECRET, which the engine shares, and another one for
GATEWAY_CAPTIVE_SECRET_KEY.`,
    examples: ['(umask 077; gatewayctl secret new > shared-secret)', 'gatewayctl secret new --count 2'],
  })
    .addOption(new Option('--count <count>', 'how many, one per line').argParser(parseCount).default(1))
    .action(({ count }: { readonly count: number }) => {
      context.stdout.write(Array.from({ length: count }, () => `${newSecret()}\n`).join(''))
    })
}

function parseCount(text: string): number {
  const count = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(count <= MAXIMUM)) throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAXIMUM}.`)
  return count
}
