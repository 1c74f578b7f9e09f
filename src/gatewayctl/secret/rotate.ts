// `secret rotate`: changes the shared secret without interruption (protocol v1, section 1). Every portal opens payloads
// of both secrets before the engine seals with the new one, and until the last payload of the old one has expired.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { canConfirm, confirm } from '../terminal/confirm.ts'
import { printable, quoted } from '../terminal/printable.ts'
import { TIME_HELP } from '../time-argument.ts'
import { newSecret } from './generate.ts'
import { parseSince, wait } from './rotation-time.ts'
import { readSharedSecrets, replaceSecrets, type SharedSecrets } from './secret-file.ts'

interface RotateOptions {
  readonly file?: string
  readonly showNew?: true
  readonly finish?: true
  readonly since?: string
  readonly yes?: true
}

/** Clocks may run ahead by this much, or by the replay window if that is shorter. */
const CLOCK_ALLOWANCE_SECONDS = 60
const DEFAULT_FILE = 'shared-secret'

export function rotateSecretCommand(context: Context): Command {
  return createCommand(context, 'rotate', {
    purpose: 'Changes the secret that portals and engine share, without a visitor noticing.',
    details: `
Without --file it only prints the steps. With it, the file that
GATEWAY_CAPTIVE_SHARED_SECRET_FILE names is replaced atomically; the old secret
is never printed. --finish waits for the replay window
(ENGINE_SIGNATURE_MAX_AGE_SECONDS) and the clock allowance before it removes
the old one, counted from now, or from when the engine got the new one.

Not for a file that the engine reads, too, as with packages and Docker Compose:
it refuses two secrets. Write one new secret into that file instead, and restart
both (docs/gatewayctl.md, "Changing the shared secret").
${TIME_HELP}`,
    examples: [
      'gatewayctl secret rotate',
      'gatewayctl secret rotate --file shared-secret',
      '(umask 077; gatewayctl secret rotate --file shared-secret --show-new > engine-secret)',
      'gatewayctl secret rotate --file shared-secret --finish',
      'gatewayctl secret rotate --file shared-secret --finish --since 10m --yes',
    ],
  })
    .addOption(new Option('--file <file>', 'adds a new secret to the one in this file'))
    .addOption(new Option('--show-new', 'prints the new one of the two, for the engine').conflicts('finish'))
    .addOption(new Option('--finish', 'removes the old one of the two'))
    .addOption(
      new Option('--since <time>', 'with --finish: when the engine got the new one').argParser((text) =>
        parseSince(text, context),
      ),
    )
    .addOption(new Option('--yes', 'with --finish: do not ask whether the engine has it'))
    .action(async (options: RotateOptions) => {
      const { file, showNew, finish, since, yes } = options
      if (!finish && (since !== undefined || yes)) throw new Failure('--since and --yes require --finish', EXIT_MISUSED)
      if (file === undefined) {
        if (showNew || finish) throw new Failure('--show-new and --finish need --file', EXIT_MISUSED)
        context.stdout.write(allSteps())
        return
      }
      const shared = readSharedSecrets(file, portalVariables(context.env))
      if (showNew) context.stdout.write(`${twoOf(shared).secrets[1]}\n`)
      else if (finish) await dropOld(context, twoOf(shared), options)
      else await addNew(context, shared)
    })
}

type TwoSecrets = SharedSecrets & { readonly secrets: readonly [string, string] }

function twoOf(shared: SharedSecrets): TwoSecrets {
  const { secrets, path } = shared
  if (secrets.length === 1) throw new Failure(`${path} holds one secret: no rotation is under way`)
  return { ...shared, secrets }
}

async function addNew(context: Context, { path, secrets, keyIds, maxAgeSeconds }: SharedSecrets): Promise<void> {
  if (secrets.length === 2) {
    throw new Failure(`${path} holds two secrets already: a rotation is under way, and --finish completes it`)
  }
  await replaceSecrets(path, [...secrets, newSecret()])
  const after = readSharedSecrets(path, portalVariables(context.env))
  context.stdout.write(`${printable(path)} holds two secrets now:
  the old one, key id ${keyIds[0]}
  the new one, key id ${after.keyIds[1]}

Next steps:
${laterSteps(path, 1, maxAgeSeconds)}`)
}

async function dropOld(context: Context, shared: TwoSecrets, { since, yes }: RotateOptions): Promise<void> {
  const { path, secrets, keyIds, maxAgeSeconds } = shared
  if (!yes) await confirmFinish(context, `Does the engine seal with the new secret, key id ${keyIds[1]}?`)
  await wait(context, { since, seconds: waitSeconds(maxAgeSeconds) }, 'all payloads of the old secret have expired')
  if (readSharedSecrets(path, portalVariables(context.env)).secrets.join() !== secrets.join()) {
    throw new Failure(`${path} has changed in the meantime; nothing was done`)
  }
  await replaceSecrets(path, [secrets[1]])
  context.stdout.write(`${printable(path)} holds only the new secret now, key id ${keyIds[1]}.

Remaining steps:
  1. Restart every portal that reads this file.
  2. Destroy every copy of the old secret, key id ${keyIds[0]}.
`)
}

/** @throws {Failure} unless the answer is yes */
async function confirmFinish(context: Context, question: string): Promise<void> {
  if (!canConfirm(context)) {
    const message = 'there is no terminal for the confirmation: --yes confirms that the engine has the new secret'
    throw new Failure(message, EXIT_MISUSED)
  }
  if (!(await confirm(context, question))) throw new Failure('nothing was changed')
}

const waitSeconds = (maxAgeSeconds: number) => maxAgeSeconds + Math.min(CLOCK_ALLOWANCE_SECONDS, maxAgeSeconds)

function allSteps(): string {
  return `If the engine reads the portals' file, as with packages and Docker Compose,
write a new secret into it ("gatewayctl secret new" prints one), and
restart both at once: visitors reload the pages that are open.

To change the secret that portals and engine share, if portals read it from a
  file of their own (GATEWAY_CAPTIVE_SHARED_SECRET_FILE):

  1. Add a new secret to the old one; portals open payloads of both:
       gatewayctl secret rotate --file ${DEFAULT_FILE}
${laterSteps(DEFAULT_FILE, 2)}
If the secret is the value of GATEWAY_CAPTIVE_SHARED_SECRET, the steps are the
same: write both secrets into it, the old one first, with a space between them;
"gatewayctl secret new" prints the new one.
`
}

/** @param first the number of the first step @param maxAgeSeconds where it is known */
function laterSteps(path: string, first: number, maxAgeSeconds?: number): string {
  const file = quoted(path)
  const time = maxAgeSeconds === undefined ? 'until old payloads have expired' : `${waitSeconds(maxAgeSeconds)} s first`
  return `  ${first}. Restart every portal, so that it opens payloads of both. A portal on
     another machine needs its copy of the file first.
  ${first + 1}. Give the new one to the engine ([captive_portal] secret, or its secret
     file), and restart it. This prints it:
       gatewayctl secret rotate --file ${file} --show-new
  ${first + 2}. Remove the old one; this waits ${time}:
       gatewayctl secret rotate --file ${file} --finish
  ${first + 3}. Restart every portal again, and destroy all remaining copies of the old secret.
`
}
