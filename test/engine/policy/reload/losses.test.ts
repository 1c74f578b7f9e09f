// What counts as a loss, and how it is reported.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptanceLine, acceptedLossFrom } from '../../../../src/engine/policy/reload/accepted-loss.ts'
import { acceptedLossesOf, type Extent, lossesOf } from '../../../../src/engine/policy/reload/losses.ts'

const extent = (parts: Partial<Extent>): Extent => ({
  ...{ path: 'policy.toml', rules: 8, expectations: 4, default: 'block', internal: 3, groups: [] },
  ...parts,
})
const group = (size: number, path = '/g.txt', acceptsLossFrom?: number) => ({
  name: 'staff',
  users: new Set<string>(),
  file: { path, place: 'policy.toml:7: groups.staff.file', size, acceptsLossFrom },
})
const REMEDY = 'To accept it: gatewayctl engine reload --accept-losses'

test('half of the rules, of the expectations, of the internal networks or of a group’s users, and a default that blocks', () => {
  const accepted = extent({ groups: [group(5)] })
  const candidate = extent({ rules: 4, expectations: 2, default: 'allow', internal: 1, groups: [group(2)] })
  assert.deepEqual(lossesOf(accepted, candidate), [
    `policy.toml must not lose half of its rules; it has 4, and the last accepted one 8. ${REMEDY}`,
    `policy.toml must not lose half of its expectations; it has 2, and the last accepted one 4. ${REMEDY}`,
    `policy.toml must not lose half of gateway.internal; it has 1, and the last accepted one 3. ${REMEDY}`,
    `policy.toml:7: groups.staff.file: /g.txt must not lose half of its users; it has 2, and the last accepted one 5. ${REMEDY}`,
    `policy.toml must not lose default = "block"; it is now "allow". ${REMEDY}`,
  ])
})

test('less than half is no loss, nor is growth, nor a change from nothing', () => {
  const none = extent({ rules: 0, expectations: 0, default: 'allow', internal: 0 })
  for (const [accepted, candidate] of [
    [extent({}), extent({ rules: 5, expectations: 3, internal: 2 })],
    [extent({}), extent({ rules: 80, internal: 30 })],
    [extent({ rules: 1, internal: 1 }), extent({ rules: 1, internal: 1 })],
    [none, none],
    [none, extent({})],
    [extent({ groups: [group(4)] }), extent({ groups: [group(3)] })],
    [extent({ groups: [group(4)] }), extent({ groups: [group(1, '/another.txt')] })],
    [extent({ groups: [group(4)] }), extent({ groups: [] })],
  ] as const) {
    assert.deepEqual(lossesOf(accepted, candidate), [])
  }
  assert.equal(lossesOf(extent({ rules: 1 }), extent({ rules: 0 })).length, 1)
  assert.equal(lossesOf(extent({}), extent({ expectations: 0 })).length, 1)
  assert.equal(lossesOf(extent({ internal: 1 }), extent({ internal: 0 })).length, 1)
  assert.equal(lossesOf(extent({ rules: 9 }), extent({ rules: 5 })).length, 0)
})

test('what is not known is not compared', () => {
  assert.deepEqual(lossesOf(undefined, extent({ rules: 0 })), [])
  assert.deepEqual(lossesOf(extent({}), undefined), [])
  assert.deepEqual(lossesOf(extent({}), extent({ default: undefined, internal: undefined })), [])
  assert.deepEqual(lossesOf(extent({ default: undefined, internal: undefined }), extent({ internal: 0 })), [])
})

test('a group’s file accepts the loss that its first line names, and no other', () => {
  const accepted = extent({ groups: [group(5)] })
  const warned = 'policy.toml:7: groups.staff.file: /g.txt has 2 users instead of 5, as its first line accepts'
  for (const [candidate, losses, warnings] of [
    [group(2, '/g.txt', 5), 0, [warned]],
    [group(2, '/g.txt', 6), 1, []],
    [group(2, '/g.txt', 4), 1, []],
    [group(2), 1, []],
    [group(2, '/another.txt', 5), 0, []],
    [group(5, '/g.txt', 9), 0, []],
  ] as const) {
    assert.equal(lossesOf(accepted, extent({ groups: [candidate] })).length, losses)
    assert.deepEqual(acceptedLossesOf(accepted, extent({ groups: [candidate] })), warnings)
  }
  assert.equal(lossesOf(accepted, extent({ groups: [group(2, '/g.txt', 5)], rules: 1 })).length, 1)

  const line = acceptanceLine(5, 2)
  assert.equal(acceptedLossFrom(`${line}anna\nbruno\n`, 2), 5)
  for (const [text, size] of [
    [`${line}anna\n`, 1],
    [`${line}anna\nbruno\nchiara\n`, 3],
    [`anna\n${line}bruno\n`, 2],
    [`#${line}anna\nbruno\n`, 2],
    [line.replace('.', ''), 2],
    ['anna\nbruno\n', 2],
    ['', 0],
  ] as const) {
    assert.equal(acceptedLossFrom(text, size), undefined, text)
  }
})
