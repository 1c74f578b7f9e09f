// All faults that the check makes.
import type { Mutation } from '../mutation.ts'
import { ICAP_FAULTS } from './icap.ts'
import { IMPORT_FAULTS } from './import.ts'
import { POLICY_FAULTS } from './policy.ts'
import { RECORD_FAULTS } from './records.ts'
import { SQUID_FAULTS } from './squid.ts'
import { VERDICT_FAULTS } from './verdicts.ts'

export const FAULTS: readonly Mutation[] = [
  ...POLICY_FAULTS,
  ...ICAP_FAULTS,
  ...SQUID_FAULTS,
  ...VERDICT_FAULTS,
  ...RECORD_FAULTS,
  ...IMPORT_FAULTS,
]
