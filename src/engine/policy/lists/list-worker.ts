// The thread that reads lists: parsing a million names would stall decisions. Started by load-lists.ts; ends when it has read them.
import { parentPort } from 'node:worker_threads'
import type { ListFormat } from './domain-list.ts'
import type { ListJobs, ListReading } from './load-lists.ts'
import type { HashKey } from './name-hash.ts'
import { readList } from './read-list.ts'

// Without a further listener the thread ends.
parentPort?.once('message', ({ key, jobs }: ListJobs) => {
  const readings = jobs.map(({ path, format }) => read(path, format, key))
  const buffers = readings.flatMap((reading) => ('table' in reading ? [reading.table.hashes, reading.table.index] : []))
  parentPort?.postMessage(readings, buffers)
})

function read(path: string, format: ListFormat, key: HashKey): ListReading {
  try {
    return readList(path, format, key)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { fault: code === undefined ? message : `the system reports ${code}` }
  }
}
