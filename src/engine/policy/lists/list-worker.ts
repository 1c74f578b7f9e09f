// The thread that reads lists: parsing a million names would stall decisions. Started, and ended, by load-lists.ts.
import { parentPort } from 'node:worker_threads'
import { readFault } from '../../../settings/file.ts'
import type { ListJob, ListReading } from './load-lists.ts'
import { readList } from './read-list.ts'

parentPort?.on('message', (job: ListJob) => {
  const reading = read(job)
  parentPort?.postMessage(reading, reading.kind === 'list' ? [reading.table.hashes, reading.table.index] : [])
})

function read({ path, format, key, maximum }: ListJob): ListReading {
  try {
    return readList(path, format, key, maximum)
  } catch (error) {
    return { kind: 'unreadable', reason: readFault(error) }
  }
}
