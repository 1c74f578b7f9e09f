// The tree of all commands. To add one, create its file and add a line here.

import type { Command } from 'commander'
import packageJson from '#package' with { type: 'json' }
import { createGroup } from './command.ts'
import { printCompletion } from './completion.ts'
import type { Context } from './context.ts'
import { decide } from './engine/decide.ts'
import { endLockouts, listLockouts } from './engine/lockouts.ts'
import { allowHost, endPermission, listPermissions } from './engine/permissions.ts'
import { reloadEngine } from './engine/reload.ts'
import { endSessions, listSessions } from './engine/sessions.ts'
import { engineStatus } from './engine/status.ts'
import { explainDecision } from './engine/why.ts'
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
import { proxyDoctor } from './proxy/doctor.ts'
import { proxyStatus } from './proxy/status.ts'
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
        'engine',
        {
          purpose: 'The engine, which decides about requests.',
          examples: [
            'gatewayctl engine status',
            'gatewayctl engine why https://casino.example/',
            "gatewayctl engine allow casino.example --for 2h --by 'Ms Rossi'",
          ],
        },
        [
          engineStatus(context),
          reloadEngine(context),
          explainDecision(context),
          decide(context),
          allowHost(context),
          createGroup(
            context,
            'permissions',
            {
              purpose: 'Hosts that are open for a time.',
              examples: ['gatewayctl engine permissions list', 'gatewayctl engine permissions end casino.example'],
            },
            [listPermissions(context), endPermission(context)],
          ),
          createGroup(
            context,
            'sessions',
            {
              purpose: 'Sessions of visitors who acknowledged.',
              examples: ['gatewayctl engine sessions list', 'gatewayctl engine sessions end --user anna'],
            },
            [listSessions(context), endSessions(context)],
          ),
          createGroup(
            context,
            'lockouts',
            {
              purpose: 'Visitors who entered too many wrong codes.',
              examples: ['gatewayctl engine lockouts list', 'gatewayctl engine lockouts end --user anna'],
            },
            [listLockouts(context), endLockouts(context)],
          ),
        ],
      ),
      createGroup(
        context,
        'proxy',
        {
          purpose: 'The proxy, which decrypts, requests decisions and forwards.',
          examples: ['gatewayctl proxy status', 'gatewayctl proxy doctor'],
        },
        [proxyStatus(context), proxyDoctor(context)],
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
