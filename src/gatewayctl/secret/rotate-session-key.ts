// `secret rotate-session-key`: changes the key that signs session cookies. Only portals have it: they sign with the
// first key and verify with both, until the cookies of the old one have expired.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { printable, quoted } from '../terminal/printable.ts'
import { TIME_HELP } from '../time-argument.ts'
import { confirmFinish } from './confirm-finish.ts'
import { newSecret } from './generate.ts'
import { parseSince, wait } from './rotation-time.ts'
import { readSessionKeys, replaceSecrets } from './secret-file.ts'

interface RotateOptions {
  readonly file: string
  readonly finish?: true
  readonly since?: string
  readonly yes?: true
}

/** A policy that was shown may be accepted for this long (protocol v1, section 2). */
const SHOWN_SECONDS = 15 * 60

export function rotateSessionKeyCommand(context: Context): Command {
  return createCommand(context, 'rotate-session-key', {
    purpose: 'Changes the key that signs session cookies, without a visitor noticing.',
    details: `
The file that GATEWAY_CAPTIVE_SECRET_KEY_FILE names is replaced atomically; no
key is ever printed. --finish removes the old key after the 15 minutes in which
a policy that was shown may be accepted, counted from now, or from when the
portals got the new key.
${TIME_HELP}`,
    examples: [
      'gatewayctl secret rotate-session-key --file secret-key',
      'gatewayctl secret rotate-session-key --file secret-key --finish --since 20m --yes',
    ],
  })
    .addOption(new Option('--file <file>', 'puts a new key before the one in this file').makeOptionMandatory())
    .addOption(new Option('--finish', 'removes the old one of the two'))
    .addOption(
      new Option('--since <time>', 'when the portals got the new one')
        .argParser((text) => parseSince(text, context.clock()))
        .implies({ finish: true }),
    )
    .addOption(new Option('--yes', 'with --finish: do not ask whether the portals have it'))
    .action(async (options: RotateOptions) => {
      if (options.yes && !options.finish) throw new Failure('--yes requires --finish', EXIT_MISUSED)
      if (options.finish) await dropOld(context, options)
      else await addNew(context, options.file)
    })
}

async function addNew(context: Context, file: string): Promise<void> {
  const { path, keys } = readSessionKeys(file)
  if (keys.length > 1)
    throw new Failure(`${path} holds two keys already: a rotation is under way, and --finish completes it`)
  await replaceSecrets(path, [newSecret(), keys[0]])
  context.stdout.write(`${printable(path)} holds a new key now, and the old one.

Next steps:
  1. Restart all portals that read this file, at about the same time.
  2. Remove the old one; this waits ${SHOWN_SECONDS / 60} minutes first:
       gatewayctl secret rotate-session-key --file ${quoted(path)} --finish
  3. Restart every portal again, and destroy all remaining copies of the old key.
`)
}

async function dropOld(context: Context, { file, since, yes }: RotateOptions): Promise<void> {
  const { path, keys } = readSessionKeys(file)
  if (keys.length === 1) throw new Failure(`${path} holds one key: no rotation is under way`)
  await confirmFinish(context, yes === true, {
    question: 'Have all portals been restarted since the file holds the new key?',
    statement: 'all portals have the new key',
  })
  await wait(context, { since, seconds: SHOWN_SECONDS }, 'policies shown before can no longer be accepted')
  if (readSessionKeys(file).keys.join() !== keys.join()) {
    throw new Failure(`${path} has changed in the meantime; nothing was done`)
  }
  await replaceSecrets(path, [keys[0]])
  context.stdout.write(`${printable(path)} holds only the new key now.

Remaining steps:
  1. Restart every portal that reads this file.
  2. Destroy every copy of the old key.
`)
}
