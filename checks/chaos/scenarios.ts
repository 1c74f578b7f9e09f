// All scenarios, in the order in which they run.
import { databaseFaults } from './database-faults.ts'
import { engineFaults } from './engine-faults.ts'
import { engineState } from './engine-state.ts'
import { fairSlots } from './fair-slots.ts'
import { frozenEngine } from './frozen-engine.ts'
import { gatewayFaults } from './gateway-faults.ts'
import { overload } from './overload.ts'
import { rollingStop } from './rolling-stop.ts'
import { scarcity } from './scarcity.ts'
import type { Scenario } from './scenario.ts'

export const SCENARIOS: readonly Scenario[] = [
  engineFaults,
  frozenEngine,
  fairSlots,
  databaseFaults,
  engineState,
  overload,
  scarcity,
  rollingStop,
  gatewayFaults,
]
