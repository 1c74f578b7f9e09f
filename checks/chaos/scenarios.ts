// All scenarios, in the order of their running.
import { databaseFaults } from './database-faults.ts'
import { engineFaults } from './engine-faults.ts'
import { fairSlots } from './fair-slots.ts'
import { frozenEngine } from './frozen-engine.ts'
import { overload } from './overload.ts'
import { rollingStop } from './rolling-stop.ts'
import { scarcity } from './scarcity.ts'
import type { Scenario } from './scenario.ts'

export const SCENARIOS: readonly Scenario[] = [
  engineFaults,
  frozenEngine,
  fairSlots,
  databaseFaults,
  overload,
  scarcity,
  rollingStop,
]
