// The thread that reads lists: parsing a million names would stall decisions. Started, and ended, by load-lists.ts.
import { parentPort } from 'node:worker_threads'
import { readFault } from '../../../settings/file.ts'
import { buffersOf } from './list-collector.ts'
import type { ListJob, ListReading } from './load-lists.ts'
import { readSource } from './read-list.ts'

parentPort?.on('message', async (job: ListJob) => {
  const reading = await read(job)
  const tables = reading.kind === 'list' ? buffersOf(reading) : []
  parentPort?.postMessage(
    reading,
    tables.flatMap(({ hashes, index }) => [hashes, index]),
  )
})

async function read({ key, maximum, ...source }: ListJob): Promise<ListReading> {
  try {
    return await readSource(source, key, maximum)
  } catch (error) {
    return { kind: 'unreadable', reason: readFault(error) }
  }
}
