// What the engine has loaded and how its database is, and the call that reloads the policy.
import * as z from 'zod'
import type { EngineStatus } from '../../../contract/administration.ts'
import type { PolicyStore, ReloadResult } from '../../policy/reload/policy-store.ts'
import { StateUnavailable } from '../../state/state-unavailable.ts'
import { type Administration, administrationCall, all, bounded, isoTime } from './call.ts'
import { describeJournal } from './journal-status.ts'

export function statusCalls({ portal, policies, state, stopped, journal, clock, monitoring }: Administration) {
  return {
    ...administrationCall('status', z.strictObject({}), async () => {
      const [counts, permissions] = await Promise.all([state.counts(), state.permissions()]).catch((error: unknown) => {
        if (error instanceof StateUnavailable) return [undefined, undefined]
        throw error
      })
      return {
        time: isoTime(clock()),
        instance: monitoring.instance,
        kid: portal.keyring.sealing.kid,
        policy: describePolicy(policies),
        last_load: describeLoad(policies.last),
        database: {
          up: counts !== undefined && state.isUp,
          fault: (await state.writeFault()) ?? null,
          memory_backed: state.durability.memoryBacked,
          in_temporary_folder: state.durability.inTemporaryFolder,
        },
        journal: await describeJournal(journal, state),
        sessions: counts?.sessions ?? null,
        lockouts: counts?.lockouts ?? null,
        permissions: permissions?.length ?? null,
        stopped_in_memory: stopped.size,
        decisions: monitoring.decisions,
      }
    }),
    ...administrationCall(
      'reload',
      z.strictObject({ accept_losses: all.optional() }),
      async ({ accept_losses: acceptLosses }, from) => {
        monitoring.administered({ event: 'reload.requested', acceptLosses, from })
        const load = describeLoad(await policies.reload(acceptLosses))
        return { ...load, policy: describePolicy(policies) }
      },
    ),
  }
}

function describePolicy({ current }: PolicyStore): EngineStatus['policy'] {
  const { revision, rules, default: otherwise, groups, lists } = current
  return {
    revision,
    rules: rules.length,
    default: otherwise,
    groups: groups.length,
    lists: lists.map(({ name, table, fallback, optional }) => ({
      ...{ name, entries: table.size, optional },
      fallback: fallback?.kind ?? null,
      since: fallback?.since === undefined ? null : isoTime(fallback.since),
    })),
  }
}

function describeLoad({ result, problems, warnings }: ReloadResult): EngineStatus['last_load'] {
  return { result, problems: bounded(problems), warnings: bounded(warnings) }
}
