// One verdict that is acknowledged without a pause, and one address with hundreds of verdicts: neither takes the slots
// of the other visitors, whatever the engine does.

import { listed } from '../../test/support/load/load.ts'
import { skipWithoutOpenssl } from '../../test/support/requirement.ts'
import { skipWithoutNginx } from '../../test/support/terminator.ts'
import { CONTENDERS, contend, ENGINES } from './contending.ts'
import { Findings } from './findings.ts'
import { runScenario } from './scenario.ts'

const VISITORS = 500
const REQUIRED = 495

await runScenario({
  lacks: skipWithoutNginx || skipWithoutOpenssl || undefined,
  async run({ isShort, folder }) {
    const findings = new Findings()
    const seconds = isShort ? 5 : 12
    const visitors = isShort ? VISITORS / 4 : VISITORS
    const { crowd, repeater } = CONTENDERS
    findings.figure(
      'contending',
      `${repeater.connections} connections with ${repeater.streams} streams each and ${repeater.perSecond} requests per second, and ${crowd.verdicts} verdicts that try again ${crowd.pause.join(' to ')} ms after 429 or 503`,
    )
    // With the terminator's limits as shipped, and with both clients in TERMINATOR_UNLIMITED.
    for (const isLimited of [true, false]) {
      for (const engine of Object.keys(ENGINES) as (keyof typeof ENGINES)[]) {
        const ends: (() => Promise<unknown>)[] = []
        const result = await contend({
          engine,
          seconds,
          visitors,
          isLimited,
          folder,
          after: (end) => ends.unshift(end),
        }).finally(async () => {
          for (const end of ends) await end()
        })
        const name = isLimited ? `${engine} engine` : `${engine} engine, no limits`
        findings.figure(
          name,
          `relayed ${result.relayed} of ${visitors}: ${listed(result.visitors)}; waited ${result.median} ms (median), ${result.longest} ms at most`,
        )
        findings.figure('  repeated', listed(result.repeated))
        findings.figure('  of one address', listed(result.crowd))
        const share = REQUIRED / VISITORS
        findings.expect(
          result.relayed >= visitors * share,
          `${name}: only ${result.relayed} of ${visitors} were relayed`,
        )
        const contending = [...result.repeated.values(), ...result.crowd.values()].reduce((sum, one) => sum + one, 0)
        findings.expect(contending > visitors, `${name}: the two clients sent too little`)
      }
    }
    return findings
  },
})
