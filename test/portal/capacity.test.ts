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
})

test('a higher limit of open files raises the limits, up to a maximum', () => {
  assert.deepEqual(capacityOf(256), {
    connections: 126,
    relays: 48,
    relaysPerClient: 24,
  })
  assert.deepEqual(capacityOf(1_000_000), {
    connections: 4096,
    relays: 256,
    relaysPerClient: 128,
  })
})

test('the limit is read from the process', () => {
  const script = `import { openFileLimit } from './src/portal/capacity.ts'; console.log(openFileLimit())`
  const node = [process.execPath, '--input-type=module-typescript', '--eval', script]
  const limited = execFileSync('sh', ['-c', 'ulimit -n 300 && exec "$@"', 'sh', ...node], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  assert.equal(limited, '300\n')
})
