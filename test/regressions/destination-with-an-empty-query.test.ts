// The address of `http://news.example/?` or `…/#` was shown without its last character: path, query and fragment were
// put together, and an empty one has no text. The page must show exactly the link's target. Since the first version;
// found by fuzzing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDestination } from '../../src/contract/destination.ts'

for (const rest of ['/?', '/#', '/?#', '/a?#b', '/?x=y', '/']) {
  test(`${rest} is shown unchanged`, () => {
    const destination = parseDestination(`http://u:p@news.example:8080${rest}`)
    assert.equal(destination?.rest, rest)
    assert.equal(destination?.href, `http://news.example:8080${rest}`)
  })
}
