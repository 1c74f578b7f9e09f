// Preloaded into each test file: ends a file that has left something open, such as after a failure, five seconds after its
// last test. Node's `--test-force-exit` ends it at once, and loses results that have not been written yet.
import { after } from 'node:test'

const SECONDS = 5

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    setTimeout(() => process.exit(), SECONDS * 1000).unref()
  })
}
