// Stopped requests that are not written yet. Bounded: while the database is away or slow, the engine must neither wait nor grow.
import { ownCopy } from '../monitoring/own-copy.ts'
import type { StoppedRequest } from '../monitoring/stopped-requests.ts'
import type { ListEntry } from '../policy/lists/domain-list.ts'

/** What the journal has of a stopped request, before the policy adds to it. */
export interface QueuedStop extends Pick<StoppedRequest, 'at' | 'reference' | 'verdict' | 'rule'> {
  readonly entry: ListEntry | undefined
  readonly host: string
  readonly client: string
  readonly user: string | undefined
}

export interface StopQueue {
  /** @returns false if it is full */
  add(stopped: StoppedRequest): boolean
  /** The oldest ones, which are removed. */
  take(count: number): readonly QueuedStop[]
  readonly size: number
}

/** Twenty seconds of a thousand stops each. With the longest hosts and users, 20,000 rows take about 20 MB. */
const CAPACITY = 20_000

export function createStopQueue(capacity = CAPACITY): StopQueue {
  const queue: QueuedStop[] = []
  return {
    add({ at, reference, verdict, rule, reason, request: { host, client, user } }) {
      if (queue.length >= capacity) return false
      queue.push({
        at,
        reference,
        verdict,
        rule,
        entry: reason?.entry,
        host: ownCopy(host),
        client: ownCopy(client.address),
        user: user && ownCopy(user),
      })
      return true
    },
    take: (count) => queue.splice(0, count),
    get size() {
      return queue.length
    },
  }
}
