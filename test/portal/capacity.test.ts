// The concurrency limits follow from the limit of open files, and leave files for the process itself.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { capacityOf } from '../../src/portal/capacity.ts'

test('all limits together, and the process itself, stay below the limit of open files', () => {
  for (const files of [128, 256, 1024, 4096, 65_536, Number.POSITIVE_INFINITY]) {
    const { connections, relays, relaysPerClient } = capacityOf(files)
    assert.ok(connections + relays + 64 <= files, `${files}`)
    assert.ok(connections > relays && relays > relaysPerClient && relaysPerClient > 0, `${files}`)
  }
  assert.deepEqual(capacityOf(1_000_000), { connections: 4096, relays: 256, relaysPerClient: 128 }, 'the maximum')
})

test('the limit is read from the process', () => {
  const script = `import { openFileLimit } from './src/portal/capacity.ts'; console.log(openFileLimit())`
  const node = [process.execPath, '--input-type=module-typescript', '--eval', script]
  const options = { encoding: 'utf8', timeout: 20_000 } as const
  assert.equal(execFileSync('sh', ['-c', 'ulimit -n 300 && exec "$@"', 'sh', ...node], options), '300\n')
})
