// One verdict that is acknowledged without a pause, and one address with hundreds of verdicts: neither takes the slots of
// the other visitors, whatever the engine does.

import { listed } from '../../test/support/load/load.ts'
import { skipWithoutOpenssl } from '../../test/support/requirement.ts'
import { skipWithoutNginx } from '../../test/support/terminator.ts'
import { contend, ENGINES } from './contending.ts'
import { Findings, type Scenario } from './scenario.ts'

const VISITORS = 500
const REQUIRED = 495

export const fairSlots: Scenario = {
  name: 'fair-slots',
  about: `one acknowledgement repeated on three HTTP/2 connections, and 300 verdicts of one address: of other visitors' ${VISITORS} acknowledgements ${REQUIRED} are relayed`,
  lacks: skipWithoutNginx || skipWithoutOpenssl || undefined,
  async run({ isShort, folder }) {
    const findings = new Findings()
    const seconds = isShort ? 5 : 20
    const visitors = isShort ? VISITORS / 4 : VISITORS
    for (const engine of Object.keys(ENGINES) as (keyof typeof ENGINES)[]) {
      const ends: (() => Promise<unknown>)[] = []
      const result = await contend({
        engine,
        seconds,
        visitors,
        isLimited: true,
        folder,
        after: (end) => ends.unshift(end),
      }).finally(async () => {
        for (const end of ends) await end()
      })
      findings.figure(`${engine} engine`, `relayed ${result.relayed} of ${visitors}: ${listed(result.visitors)}`)
      findings.figure('  repeated', listed(result.repeated))
      findings.figure('  of one address', listed(result.crowd))
      const share = REQUIRED / VISITORS
      findings.expect(result.relayed >= visitors * share, `only ${result.relayed} of ${visitors} were relayed`)
      const asked = [...result.repeated.values(), ...result.crowd.values()].reduce((sum, one) => sum + one, 0)
      findings.expect(asked > visitors, 'hardly anything contended with them')
    }
    return findings
  },
}
