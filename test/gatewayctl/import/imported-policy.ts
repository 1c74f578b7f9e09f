// An imported policy as the engine reads it, and what it decides.
import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { LIST_KEY } from '../../../src/engine/policy/lists/domain-list.ts'
import { ListTable } from '../../../src/engine/policy/lists/list-table.ts'
import { readSource } from '../../../src/engine/policy/lists/read-list.ts'
import { findRule, type Policy } from '../../../src/engine/policy/policy.ts'
import { parseUser } from '../../../src/engine/request/user.ts'
import { readSettings, settingsOf } from '../../../src/engine/settings/settings.ts'
import { subjectFor } from '../../engine/request-for.ts'
import { NO_OPTIONS } from '../../engine/running-engine.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { ensureSecret } from '../../support/engine-process.ts'

export interface Asked {
  readonly url: string
  readonly client: string
  readonly user?: string | undefined
}

export type Verdict = 'pass' | 'block'

/** Reads the policy with its lists, as a start does; secrets are written next to it. @throws {ConfigProblems} */
export async function loadPolicy(t: Cleanup, config: string): Promise<Policy> {
  const folder = dirname(config)
  const reading = readSettings({
    ...{ ...NO_OPTIONS, config, publish: `${folder}/published`, timezone: 'UTC' },
    secretFile: ensureSecret(folder, 'secret'),
    apiTokenFile: ensureSecret(folder, 'token'),
  })
  const settings = settingsOf(reading)
  const lists = await Promise.all(
    reading.lists.map(async (list) => {
      const read = await readSource(list, LIST_KEY, 1_000_000)
      assert.ok(read.kind === 'list')
      const table = new ListTable(read)
      t.after(async () => table.free())
      return { ...list, table, digest: read.digest, fileDigests: read.fileDigests }
    }),
  )
  return settings.buildPolicy(lists)
}

/** @param at a time such as 2026-11-20T08:00, in UTC */
export function verdictOf(policy: Policy, { url, client, user }: Asked, at: string): Verdict {
  const parsed = user === undefined ? undefined : parseUser(user, policy.affixes)
  const match = findRule(policy, subjectFor(url, { user: parsed, address: client, at: Date.parse(`${at}Z`) }))
  assert.notEqual(match?.reason, 'ambiguous', url)
  return (match?.rule.action ?? policy.default) === 'allow' ? 'pass' : 'block'
}
