// The address of `http://news.example/?` or `…/#` was shown without its last character: path, query and fragment were put
// together, and an empty one has no text. What is shown has to be what the link leads to. Fuzzing found it, since the first
// version.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDestination } from '../../src/contract/destination.ts'

for (const rest of ['/?', '/#', '/?#', '/a?#b', '/?x=y', '/']) {
  test(`${rest} is shown as it is`, () => {
    const destination = parseDestination(`http://u:p@news.example:8080${rest}`)
    assert.equal(destination?.rest, rest)
    assert.equal(destination?.href, `http://news.example:8080${rest}`)
  })
}
