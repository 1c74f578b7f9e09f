// A run of a contender, with the figures that a test defines.
import type { Run } from '../../bench/contenders.ts'

export function run(figures: Partial<Run>): Run {
  return {
    responses: 1000,
    rate: 1,
    p50: 1,
    p99: 2,
    p999: 3,
    bytes: 11_000,
    cpu: 50,
    cpuOfEach: [50],
    busy: 1,
    residentBytes: 120e6,
    ...figures,
  }
}
