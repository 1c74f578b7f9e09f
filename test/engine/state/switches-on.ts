// Switches that are on, without a database.
import assert from 'node:assert/strict'
import type { Switches } from '../../../src/engine/policy/switches.ts'
import { createSwitchMemory } from '../../../src/engine/state/switches.ts'
import { parseAddressRange } from '../../../src/network/address-range.ts'

/** @param on the networks for which each is on; none ends */
export function switchesOn(on: Readonly<Record<string, readonly string[]>>): Switches {
  const memory = createSwitchMemory({ of: (at) => at })
  memory.replace(
    Object.entries(on).flatMap(([name, networks]) =>
      networks.map((text) => ({
        ...{ name, network: parseAddressRange(text) ?? assert.fail(text), room: undefined, by: 'x' },
        ...{ createdAt: 0, expiresAt: Number.MAX_SAFE_INTEGER },
      })),
    ),
  )
  return memory
}
