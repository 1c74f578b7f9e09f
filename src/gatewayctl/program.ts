// The tree of all commands. To add one, create its file and add a line here.

import type { Command } from 'commander'
import packageJson from '#package' with { type: 'json' }
import { createGroup } from './command.ts'
import { printCompletion } from './completion.ts'
import type { Context } from './context.ts'
import { copyAcceptances } from './portal/acceptances/copy.ts'
import { exportAcceptances } from './portal/acceptances/export.ts'
import { listAcceptances } from './portal/acceptances/list.ts'
import { pruneAcceptances } from './portal/acceptances/prune.ts'
import { showAcceptance } from './portal/acceptances/show.ts'
import { editAup } from './portal/aup/edit.ts'
import { showAup } from './portal/aup/show.ts'
import { aupStatus } from './portal/aup/status.ts'
import { disableAup, enableAup } from './portal/aup/switch.ts'
import { showCa } from './portal/ca.ts'
import { examineDeployment } from './portal/doctor/doctor.ts'
import { printPac } from './portal/pac.ts'
import { previewPages } from './portal/preview.ts'
import { portalStatus } from './portal/status.ts'
import { printNewSecret } from './secret/new.ts'
import { rotateSecret } from './secret/rotate.ts'
import { rotateSessionKey } from './secret/rotate-session-key.ts'

export function createProgram(context: Context): Command {
  return createGroup(
    context,
    'gatewayctl',
    {
      purpose: 'Manages a secure web gateway.',
      examples: ['gatewayctl portal status', 'gatewayctl portal acceptances list --since 7d'],
    },
    [
      createGroup(
        context,
        'portal',
        {
          purpose: 'The captive portal.',
          examples: ['gatewayctl portal status', 'gatewayctl portal doctor', 'gatewayctl portal acceptances --help'],
        },
        [
          portalStatus(context),
          createGroup(
            context,
            'acceptances',
            {
              purpose: 'The ledger of accepted policies.',
              details: `
It is read while the portal runs, without blocking it. docs/ledger.md describes
what is recorded.`,
              examples: [
                'gatewayctl portal acceptances list --since 7d',
                'gatewayctl portal acceptances export --since 2026-01-01 --until 2027-01-01 --output 2026.csv',
              ],
            },
            [
              listAcceptances(context),
              showAcceptance(context),
              exportAcceptances(context),
              pruneAcceptances(context),
              copyAcceptances(context),
            ],
          ),
          showCa(context),
          printPac(context),
          examineDeployment(context),
          createGroup(
            context,
            'aup',
            {
              purpose: 'Your own acceptable use policy.',
              details: `
Text, switch and container change together; when the portal rejects a change,
all three are put back. See docs/gatewayctl-aup.md.`,
              examples: ['gatewayctl portal aup edit', 'gatewayctl portal aup status'],
            },
            [editAup(context), enableAup(context), disableAup(context), showAup(context), aupStatus(context)],
          ),
          previewPages(context),
        ],
      ),
      createGroup(
        context,
        'secret',
        {
          purpose: 'The secrets of portal and engine.',
          examples: ['gatewayctl secret new', 'gatewayctl secret rotate --file shared-secret'],
        },
        [printNewSecret(context), rotateSecret(context), rotateSessionKey(context)],
      ),
      printCompletion(context),
    ],
  ).version(packageJson.version, '--version', 'the version')
}
