// Visitors of engines: most acknowledge a warning, some never do, and some guess at a code.
import type { Engines } from './engines.ts'

export const ATTEMPTS = 4
export const RIGHT_CODE = '0000'

const VISITORS_AT_ONCE = 12
const GUESSERS_AT_ONCE = 3
const GUESSES = 3 * ATTEMPTS

export interface Crowd {
  /** Clients with a 302 in their hands. */
  readonly passed: readonly string[]
  /** Clients that have sent an acknowledgement. */
  readonly asked: ReadonlySet<string>
  /** Clients that have sent none. */
  readonly silent: readonly string[]
  /** Acknowledgements by status; 0 for a broken connection. */
  readonly statuses: ReadonlyMap<number, number>
  /** The attempts left after each wrong code that was compared, by client. */
  readonly guesses: ReadonlyMap<string, readonly number[]>
  readonly faults: readonly string[]
  /** Clients whose session was found at a later request only. */
  readonly late: readonly string[]
  /** New ones come as long as it is time. */
  come(isTime: () => boolean): Promise<void>
}

export function createCrowd(engines: Engines): Crowd {
  const passed: string[] = []
  const asked = new Set<string>()
  const silent: string[] = []
  const statuses = new Map<number, number>()
  const guesses = new Map<string, number[]>()
  const faults: string[] = []
  const late: string[] = []
  let visitors = 0
  let guessers = 0

  async function acknowledge(engine: number, query: string, code?: string) {
    const result = await engines.acknowledge(engine % engines.count, query, code)
    statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1)
    return result
  }

  async function visit(): Promise<void> {
    const number = visitors++
    const client = `10.0.${number >> 8}.${number & 255}`
    const issued = await engines.decide(number % engines.count, 'news.example', client)
    if (issued === undefined) return
    if (issued.verdict !== 'warn') faults.push(`a new visitor got ${issued.verdict}`)
    if (number % 8 === 0) {
      silent.push(client)
      return
    }
    asked.add(client)
    const { status } = await acknowledge(number + 1, issued.query)
    if (status !== 302) return
    passed.push(client)
    for (let engine = 0; engine < engines.count; engine++) {
      const verdict = await verdictAfter302(engine, client)
      if (verdict === 'warn') faults.push('a session was lost after its 302')
    }
  }

  /** Under load a lookup may take longer than an engine waits for it; then the next one has to find the session. */
  async function verdictAfter302(engine: number, client: string): Promise<string | undefined> {
    for (let tried = 1; ; tried++) {
      const decision = await engines.decide(engine, 'news.example', client)
      if (decision?.verdict !== 'warn' || tried === 5) return decision?.verdict
      late.push(client)
    }
  }

  async function guess(): Promise<void> {
    const number = guessers++
    const client = `11.0.${number >> 8}.${number & 255}`
    const issued = await engines.decide(number % engines.count, 'lab.example', client)
    if (issued === undefined) return
    const left: number[] = []
    guesses.set(client, left)
    let isLockedOut = false
    for (let sent = 0; sent < GUESSES; sent += ATTEMPTS) {
      const results = await Promise.all(
        Array.from({ length: ATTEMPTS }, (_, index) => acknowledge(index, issued.query, `${1001 + sent + index}`)),
      )
      left.push(...results.flatMap(({ attemptsRemaining }) => attemptsRemaining ?? []))
      isLockedOut ||= results.some(({ status }) => status === 429)
    }
    // The last attempt's response is the lockout.
    if (left.length >= ATTEMPTS || new Set(left).size < left.length) faults.push(`wrong codes compared: ${left.join()}`)
    const { status } = await acknowledge(number, issued.query, RIGHT_CODE)
    if (isLockedOut && status === 302) faults.push('a code was compared in a lockout')
  }

  async function repeat(one: () => Promise<void>, isTime: () => boolean): Promise<void> {
    while (isTime()) await one()
  }

  return {
    ...{ passed, asked, silent, statuses, guesses, faults, late },
    async come(isTime) {
      await Promise.all([
        ...Array.from({ length: VISITORS_AT_ONCE }, () => repeat(visit, isTime)),
        ...Array.from({ length: GUESSERS_AT_ONCE }, () => repeat(guess, isTime)),
      ])
    },
  }
}
