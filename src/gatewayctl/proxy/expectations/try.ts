// Sends the policy's expectations through the proxy: those about which it decides the same for this machine, now.
import type { Expectations } from '../../../contract/administration.ts'
import { ruledText } from '../../engine/ruled-text.ts'
import type { LocalTime } from '../../local-time.ts'
import type { Gateway } from '../gateway.ts'
import { type Seen, seenThrough } from './seen.ts'

export type Listed = Expectations['expectations'][number]

/** One line of the sheet. */
export interface Tried {
  readonly listed: Listed
  /** What was seen, or why nothing was sent and what the rules decide. */
  readonly seen: string
  readonly result: 'as expected' | 'differs' | 'not sent'
}

/** Requests at a time. */
const AT_ONCE = 8

/** @param user that the proxy names for this machine; undefined for none */
export async function tryAll(
  gateway: Gateway,
  expectations: readonly Listed[],
  user: string | undefined,
  time: LocalTime,
): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  const left = expectations.entries()
  async function work(): Promise<void> {
    // Shared by all: each takes the next one.
    for (const [index, listed] of left) tried[index] = await tryOne(gateway, listed, user, time)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return tried
}

/** Of a test that sent no line: a sheet of `not sent` alone must not pass for a proof. */
export const NOTHING_SENT = 'nothing was sent through the proxy: this proves nothing about it'

/** @returns what is wrong with the result as a whole; undefined if nothing is */
export function faultOf(tried: readonly Tried[]): string | undefined {
  const different = tried.filter(({ result }) => result === 'differs').length
  if (different > 0) return `${different} of ${tried.length} lines differ from what the policy expects`
  return tried.every(({ result }) => result === 'not sent') ? NOTHING_SENT : undefined
}

async function tryOne(gateway: Gateway, listed: Listed, user: string | undefined, time: LocalTime): Promise<Tried> {
  const { url, fault, ruled, exempt } = listed
  const target = URL.parse(url)
  const obstacle = target === null ? 'its URL cannot be sent' : obstacleOf(listed, user, time)
  if (target === null || obstacle !== undefined) {
    const byRules = fault === null ? `the rules alone: ${ruledText(ruled)}` : `the rules alone differ: ${fault}`
    return { listed, seen: `not sent: ${obstacle}; ${byRules}`, result: fault === null ? 'not sent' : 'differs' }
  }
  const seen = await seenThrough(gateway, target, exempt)
  const isExpected = fault === null && meets(seen, listed)
  const why = fault === null ? '' : `; the rules differ: ${fault}`
  return { listed, seen: `${seen.text}${why}`, result: isExpected ? 'as expected' : 'differs' }
}

function meets({ verdict: seen }: Seen, { verdict }: Listed): boolean {
  return seen === 'stop' ? verdict !== 'allow' : seen === verdict
}

/** Why a request of this machine would not try it. */
function obstacleOf(listed: Listed, user: string | undefined, time: LocalTime): string | undefined {
  const { depends_on_user: rule, differs_by: differences, switch: switched } = listed
  const { opened_by: opened, opened_until: until } = listed
  if (rule !== null) {
    const wanted = listed.user === null ? 'no user' : `the user ${listed.user}`
    const named = user === undefined ? 'nobody' : user
    return `the rule ${rule} decides by user, and the proxy would name ${named} instead of ${wanted}`
  }
  if (differences.length > 0) {
    const other = differences.map((one) => (one === 'client' ? 'from this machine’s address' : 'now'))
    return `the rules decide otherwise ${other.join(' and ')}`
  }
  if (switched !== null) return `the switch ${switched} is on for this machine`
  return opened === null ? undefined : `it is open now by ${opened}${until === null ? '' : ` until ${time(until)}`}`
}
