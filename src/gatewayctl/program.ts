// The tree of all commands. To add one, create its file and add a line here.

import type { Command } from 'commander'
import packageJson from '#package' with { type: 'json' }
import { checkAlarmsCommand } from './alarms/check.ts'
import { listAlarmsCommand } from './alarms/list.ts'
import { testAlarmsCommand } from './alarms/test.ts'
import { createGroup } from './command.ts'
import { completionCommand } from './completion.ts'
import type { Context } from './context.ts'
import { diffCommand } from './engine/diff.ts'
import { endLessonCodeCommand, listLessonCodesCommand, newLessonCodeCommand } from './engine/lesson-codes.ts'
import { endLockoutsCommand, listLockoutsCommand } from './engine/lockouts.ts'
import { allowCommand, endPermissionCommand, listPermissionsCommand } from './engine/permissions.ts'
import { reloadCommand } from './engine/reload.ts'
import { rulesCommand } from './engine/rules.ts'
import { endSessionsCommand, listSessionsCommand } from './engine/sessions.ts'
import { engineStatusCommand } from './engine/status.ts'
import { stoppedCommand } from './engine/stopped.ts'
import { listSwitchesCommand, switchOffCommand, switchOnCommand } from './engine/switches.ts'
import { whyCommand } from './engine/why.ts'
import { importSquidguardCommand } from './import/squidguard.ts'
import { listsCommand } from './lists/lists.ts'
import { copyAcceptancesCommand } from './portal/acceptances/copy.ts'
import { exportAcceptancesCommand } from './portal/acceptances/export.ts'
import { headsCommand } from './portal/acceptances/heads.ts'
import { listAcceptancesCommand } from './portal/acceptances/list.ts'
import { pruneAcceptancesCommand } from './portal/acceptances/prune.ts'
import { showAcceptanceCommand } from './portal/acceptances/show.ts'
import { verifyAcceptancesCommand } from './portal/acceptances/verify.ts'
import { editAupCommand } from './portal/aup/edit.ts'
import { showAupCommand } from './portal/aup/show.ts'
import { aupStatusCommand } from './portal/aup/status.ts'
import { disableAupCommand, enableAupCommand } from './portal/aup/switch.ts'
import { caCommand } from './portal/ca.ts'
import { portalDoctorCommand } from './portal/doctor/doctor.ts'
import { pacCommand } from './portal/pac.ts'
import { previewCommand } from './portal/preview.ts'
import { portalStatusCommand } from './portal/status.ts'
import { deletePersonCommand } from './privacy/delete.ts'
import { retentionCommand } from './privacy/retention.ts'
import { exportPersonCommand, showPersonCommand } from './privacy/show.ts'
import { proxyDoctorCommand } from './proxy/doctor.ts'
import { proxyTestCommand } from './proxy/expectations/test.ts'
import { handshakesCommand } from './proxy/handshakes.ts'
import { proxyStatusCommand } from './proxy/status.ts'
import { reportCommand } from './report/report.ts'
import { restoreCommand } from './restore/restore.ts'
import { newSecretCommand } from './secret/new.ts'
import { rotateSecretCommand } from './secret/rotate.ts'

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
          portalStatusCommand(context),
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
              listAcceptancesCommand(context),
              showAcceptanceCommand(context),
              exportAcceptancesCommand(context),
              pruneAcceptancesCommand(context),
              copyAcceptancesCommand(context),
              headsCommand(context),
              verifyAcceptancesCommand(context),
            ],
          ),
          caCommand(context),
          pacCommand(context),
          portalDoctorCommand(context),
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
            [
              editAupCommand(context),
              enableAupCommand(context),
              disableAupCommand(context),
              showAupCommand(context),
              aupStatusCommand(context),
            ],
          ),
          previewCommand(context),
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
            'gatewayctl engine stopped --follow',
            "gatewayctl engine allow casino.example --for 2h --by 'Ms Rossi'",
          ],
        },
        [
          engineStatusCommand(context),
          reloadCommand(context),
          rulesCommand(context),
          whyCommand(context),
          stoppedCommand(context),
          diffCommand(context),
          allowCommand(context),
          createGroup(
            context,
            'permissions',
            {
              purpose: 'Hosts that are open for a time.',
              examples: ['gatewayctl engine permissions list', 'gatewayctl engine permissions end casino.example'],
            },
            [listPermissionsCommand(context), endPermissionCommand(context)],
          ),
          createGroup(
            context,
            'switch',
            {
              purpose: 'Switches, which turn on rules for a time.',
              examples: [
                "gatewayctl engine switch on exam --room 12 --for 3h --by 'Ms Rossi'",
                'gatewayctl engine switch off exam --room 12',
              ],
            },
            [switchOnCommand(context), switchOffCommand(context), listSwitchesCommand(context)],
          ),
          createGroup(
            context,
            'code',
            {
              purpose: 'Lesson codes, which open a rule for a time.',
              examples: ['gatewayctl engine code new --rule videos --for 50m', 'gatewayctl engine code list'],
            },
            [newLessonCodeCommand(context), listLessonCodesCommand(context), endLessonCodeCommand(context)],
          ),
          createGroup(
            context,
            'sessions',
            {
              purpose: 'Sessions of visitors who acknowledged.',
              examples: ['gatewayctl engine sessions list', 'gatewayctl engine sessions end --user anna'],
            },
            [listSessionsCommand(context), endSessionsCommand(context)],
          ),
          createGroup(
            context,
            'lockouts',
            {
              purpose: 'Visitors who entered too many wrong codes.',
              examples: ['gatewayctl engine lockouts list', 'gatewayctl engine lockouts end --user anna'],
            },
            [listLockoutsCommand(context), endLockoutsCommand(context)],
          ),
        ],
      ),
      reportCommand(context),
      listsCommand(context),
      restoreCommand(context),
      createGroup(
        context,
        'proxy',
        {
          purpose: 'The proxy, which decrypts, requests decisions and forwards.',
          examples: ['gatewayctl proxy status', 'gatewayctl proxy doctor'],
        },
        [
          proxyStatusCommand(context),
          proxyDoctorCommand(context),
          proxyTestCommand(context),
          handshakesCommand(context),
        ],
      ),
      createGroup(
        context,
        'privacy',
        {
          purpose: 'What is stored about a person, and for how long.',
          examples: ['gatewayctl privacy show --user anna', 'gatewayctl privacy retention'],
        },
        [
          showPersonCommand(context),
          exportPersonCommand(context),
          deletePersonCommand(context),
          retentionCommand(context),
        ],
      ),
      createGroup(
        context,
        'alarms',
        {
          purpose: 'Alarms by mail or webhook.',
          examples: ['gatewayctl alarms test', 'gatewayctl alarms list'],
        },
        [checkAlarmsCommand(context), testAlarmsCommand(context), listAlarmsCommand(context)],
      ),
      createGroup(
        context,
        'secret',
        {
          purpose: 'The secrets of portal and engine.',
          examples: ['gatewayctl secret new', 'gatewayctl secret rotate --file shared-secret'],
        },
        [newSecretCommand(context), rotateSecretCommand(context)],
      ),
      createGroup(
        context,
        'import',
        {
          purpose: 'Policies of other products.',
          examples: ['gatewayctl import squidguard /etc/squidguard/squidGuard.conf --output imported'],
        },
        [importSquidguardCommand(context)],
      ),
      completionCommand(context),
    ],
  ).version(packageJson.version, '--version', 'the version')
}
