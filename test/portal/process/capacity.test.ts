// How much is taken on follows from how many files may be open, and leaves room for the process itself.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { capacityOf } from '../../../src/portal/process/capacity.ts'

test('everything taken on at once, and the process itself, fits into the files that may be open', () => {
  for (const files of [128, 256, 1024, 4096, 65_536, Number.POSITIVE_INFINITY]) {
    const { connections, relays, recordings, relaysPerClient } = capacityOf(files)
    assert.ok(connections + relays + 64 <= files, `${files}`)
    assert.ok(
      connections > relays && relays > recordings && recordings > relaysPerClient && relaysPerClient > 0,
      `${files}`,
    )
  }
})

test('more files are more, up to what one process can serve', () => {
  assert.deepEqual(capacityOf(256), {
    connections: 126,
    relays: 48,
    recordings: 36,
    relaysPerClient: 24,
  })
  assert.deepEqual(capacityOf(1_000_000), {
    connections: 4096,
    relays: 256,
    recordings: 192,
    relaysPerClient: 128,
  })
})

test('the limit is the process’s own', () => {
  const script = `import { openFileLimit } from './src/portal/process/capacity.ts'; console.log(openFileLimit())`
  const node = [process.execPath, '--input-type=module-typescript', '--eval', script]
  const limited = execFileSync('sh', ['-c', 'ulimit -n 300 && exec "$@"', 'sh', ...node], { encoding: 'utf8' })
  assert.equal(limited, '300\n')
})
