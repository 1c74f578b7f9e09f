// A configuration in squidGuard itself, and as the policy that gatewayctl makes of it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { type Asked, loadPolicy, type Verdict, verdictOf } from '../../test/gatewayctl/import/imported-policy.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

export const skipWithoutSquidGuard = skipUnless(
  hasCommand('squidGuard'),
  'needs squidGuard: apt-get install squidguard',
)

/** A configuration, with files in its dbhome. */
export interface Case {
  /** `DBHOME` stands for the folder. */
  readonly configuration: string
  readonly files: Readonly<Record<string, string>>
}

export interface Both {
  squidGuard(requests: readonly Asked[], at: string): readonly Verdict[]
  policy(requests: readonly Asked[], at: string): readonly Verdict[]
  readonly config: string
  /** What gatewayctl names. */
  readonly notes: string
}

/** Writes the case, imports it into a folder, and calls `use`. */
export async function withBoth(given: Case, use: (both: Both) => Promise<void> | void): Promise<void> {
  const closing: (() => Promise<unknown>)[] = []
  const t = { after: (close: () => Promise<unknown>) => void closing.unshift(close) }
  try {
    const folder = temporaryFolder(t)
    const dbhome = join(folder, 'db')
    mkdirSync(dbhome)
    for (const [name, content] of Object.entries(given.files)) {
      mkdirSync(dirname(join(dbhome, name)), { recursive: true })
      writeFileSync(join(dbhome, name), content)
    }
    const squidGuardConf = join(folder, 'squidGuard.conf')
    writeFileSync(squidGuardConf, given.configuration.replaceAll('DBHOME', dbhome))
    const output = join(folder, 'imported')
    const clock = () => Date.UTC(2026, 10, 20)
    const { status, stderr } = await gatewayctl(['import', 'squidguard', squidGuardConf, '--output', output], { clock })
    assert.equal(status, 0, stderr)
    const config = join(output, 'policy.toml')
    const policy = await loadPolicy(t, config)
    await use({
      squidGuard: (requests, at) => askSquidGuard(squidGuardConf, requests, at),
      policy: (requests, at) => requests.map((request) => verdictOf(policy, request, at)),
      ...{ config, notes: stderr },
    })
  } finally {
    for (const close of closing) await close()
  }
}

/** @throws {Error} where it cannot read the configuration, and passes everything */
function askSquidGuard(config: string, requests: readonly Asked[], at: string): readonly Verdict[] {
  const input = requests.map(({ url, client, user = '-' }) => `${url} ${client}/- ${user} GET\n`).join('')
  const { stdout, stderr } = spawnSync('squidGuard', ['-d', '-t', at, '-c', config], {
    ...{ input, encoding: 'utf8', timeout: 60_000 },
    env: { ...process.env, TZ: 'UTC' },
  })
  assert.doesNotMatch(stderr, /FATAL|emergency/)
  const verdicts = stdout.split('\n').slice(0, -1)
  assert.equal(verdicts.length, requests.length, stderr)
  return verdicts.map((verdict) => (verdict.startsWith('OK') ? 'block' : 'pass'))
}
