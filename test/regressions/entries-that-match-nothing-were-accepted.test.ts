// Seen: `"glob.example/*"` was read as the path `/*`, `"a.example/*/shorts"` likewise, and `"192.0.2.128/25"` as a host with the path
// `/25`. Such a rule never matched, `--check` found no problem, and what it should have blocked was open; since rules can name a
// path. `exempt = ["bank.example:8443"]` exempted all ports of the host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configure, policy, startEngine } from '../engine/running-engine.ts'

const blocking = (entry: string) => policy(`[[rules]]\nname = "r"\nmatch = ["${entry}"]\naction = "block"`)

for (const [entry, url] of [
  ['glob.example/*', 'https://glob.example/any/page'],
  ['192.0.2.128/25', 'https://192.0.2.200/any/page'],
] as const) {
  test(`${entry} blocks ${url}`, async (t) => {
    const engine = await startEngine(t, blocking(entry))
    assert.equal((await engine.decide(url)).json.verdict, 'block')
  })
}

test('an entry that could never match is a problem', () => {
  assert.throws(
    () => configure(blocking('a.example/*/shorts')),
    /rules\[1\]\.match\[1\] must have \* .*; write "a\.example"/,
  )
})

test('an exemption with a port is a problem', () => {
  assert.throws(
    () => configure(policy('[inspection]\nexempt = ["bank.example:8443"]')),
    /inspection\.exempt\[1\] must have no port.*; write "bank\.example"/,
  )
})

test('control: a path, an address and a host', async (t) => {
  for (const [entry, url] of [
    ['glob.example/any', 'https://glob.example/any/page'],
    ['192.0.2.200', 'https://192.0.2.200/any/page'],
  ] as const) {
    const engine = await startEngine(t, blocking(entry))
    assert.equal((await engine.decide(url)).json.verdict, 'block')
  }
  configure(policy('[inspection]\nexempt = ["bank.example"]'))
})
