// `restore`: from a bare machine with the packages, and the archives of another one, to a gateway that is online.

import { join } from 'node:path'
import { Argument, type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { report } from '../doctor/report.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { underLock } from '../portal/aup/lock.ts'
import { canConfirm, confirm } from '../terminal/confirm.ts'
import { withArchives } from './archives.ts'
import { carryOut } from './carry-out.ts'
import { policyFindings, runningFindings } from './checks.ts'
import { type Machine, systemd, thisMachine } from './machine.ts'
import { missingFindings } from './missing.ts'
import { makePlan } from './plan.ts'
import { assertPossible } from './preconditions.ts'

export interface RestoreOptions {
  readonly identity: string
  readonly yes?: true
  readonly dryRun?: true
}

export function restoreCommand(context: Context): Command {
  return createCommand(context, 'restore', {
    purpose: 'Restores a machine from its nightly backups.',
    details: `
On a machine with the same packages, as root. It takes an archive of the engine,
one of the portal, or both, and decrypts them with age, which may ask for a
passphrase. Before it changes anything it checks that they are whole, that this
machine has the packages, a version that reads the databases, and the room. Then
it prints what it would do, and asks; without a terminal it needs --yes.

What was there stays next to it, as /etc/gateway.before-restore-TIME. When a
step fails, or is interrupted, everything is put back.

It disables Debian's nginx and squid, turns on the services and timers that were
on, waits up to a minute, and prints what each check finds and what is missing:
the exit code is then 1. Settings and units may run anything: restore only what
your own machine has archived. docs/run.md has the whole way.`,
    examples: [
      'gatewayctl restore --identity backup.key engine.tar.gz.age --dry-run',
      'gatewayctl restore --identity backup.key engine.tar.gz.age portal.tar.gz.age',
    ],
  })
    .addArgument(new Argument('<archives...>', 'files of gateway-engine-backup and gateway-portal-backup'))
    .addOption(new Option('--identity <file>', 'the private key, of age or SSH').makeOptionMandatory())
    .addOption(new Option('--dry-run', 'check everything, and only print what would be done'))
    .addOption(new Option('--yes', 'do not ask').conflicts('dryRun'))
    .action((archives: readonly string[], options: RestoreOptions) =>
      restore(context, archives, options, thisMachine()),
    )
}

/** @throws {Failure} */
export async function restore(
  given: Context,
  archives: readonly string[],
  options: RestoreOptions,
  machine: Machine,
): Promise<void> {
  // The packages have no other folder.
  const home = join(machine.root, 'etc', 'gateway')
  const context = { ...given, env: { ...given.env, GATEWAY_HOME: home } }
  const units = systemd(context, machine)
  if (!options.yes && !options.dryRun && !canConfirm(context)) {
    throw new Failure('there is no terminal for the confirmation: --yes restores without it', EXIT_MISUSED)
  }
  await assertPossible(context, machine, units, archives, options)
  await underLock(context, { home }, () =>
    withArchives(context, machine, archives, options.identity, async (opened) => {
      const plan = await makePlan(context, machine, units, opened)
      context.stdout.write(plan.text)
      if (options.dryRun) return
      if (!options.yes && !(await confirm(context, 'Restore?'))) throw new Failure('nothing was changed')
      const on = await carryOut(context, units, plan)
      const findings = [
        ...(await runningFindings(context, units, on, machine.startMs)),
        ...(on.includes('gateway-engine.service') ? await policyFindings(context, machine) : []),
        ...(await missingFindings({ ...plan.restored, units: on })),
      ]
      report(context, findings, {})
      context.stdout.write('The gateway is online.\n')
    }),
  )
}
