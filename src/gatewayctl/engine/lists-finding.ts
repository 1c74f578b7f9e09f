// What is in force for the lists of the policy, as a finding.
import type { EngineStatus } from '../../contract/administration.ts'
import { type Finding, ok } from '../doctor/finding.ts'
import { counted } from './load-result.ts'

type List = EngineStatus['policy']['lists'][number]

const ADVICE =
  'gatewayctl engine reload shows what is wrong; systemctl start gateway-lists fetches lists (docs/policy.md, "Updating lists")'

/** Failing where a list that is not optional has nothing, or only the content of another file. */
export function listsFinding(tried: string, { lists }: EngineStatus['policy']): Finding {
  const check = 'lists'
  const others = lists.filter(({ fallback }) => fallback !== null)
  if (others.length === 0) return ok(check, tried, `${counted(lists.length, 'list')} in force from their files`)
  const isFailing = others.some(
    ({ fallback, optional }) => fallback === 'other' || (fallback === 'missing' && !optional),
  )
  const detail = others.map(described).join('; ')
  return { check, state: isFailing ? 'failing' : 'warning', tried, detail, advice: ADVICE }
}

function described({ name, fallback, since, optional }: List): string {
  const facts = {
    kept: `its file is not in force, but its last good copy, of ${since}`,
    other: 'its file is not in force; the one that it had before stops requests, and allows none',
    missing: `nothing is in force, so rules by it do not match${optional ? '; it is optional' : ', and no start succeeds'}`,
  }
  return `"${name}": ${facts[fallback ?? 'missing']}`
}
