import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseClient } from '../../../src/engine/request/client.ts'

const KNOWN: readonly (readonly [text: string, address: string, network: string])[] = [
  ['198.51.100.7', '198.51.100.7', '198.51.100.7'],
  ['::ffff:198.51.100.7', '198.51.100.7', '198.51.100.7'],
  ['::FFFF:C633:6407', '198.51.100.7', '198.51.100.7'],
  ['::ffff:0.0.0.1', '0.0.0.1', '0.0.0.1'],
  ['::1', '::1', '0:0:0:0::/64'],
  ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['1::', '1::', '1:0:0:0::/64'],
]

test('an address has one form, and its network', () => {
  for (const [text, address, network] of KNOWN) {
    const client = parseClient(text)
    assert.deepEqual([client?.address, client?.network], [address, network], text)
  }
  const others = '198.51.100 0x7f.1 01.2.3.4 fe80::1%eth0 [::1] localhost ::1::'.split(' ')
  for (const text of [...others, '', ' ', '198.51.100.7 ']) assert.equal(parseClient(text), undefined, text)
})

test('all addresses of a /64 share their network, and no others', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  const half = fc.tuple(group, group, group, group).filter(([first]) => first !== 0)
  const spell = (groups: readonly number[]) => groups.map((one) => one.toString(16)).join(':')
  fc.assert(
    fc.property(half, half, half, (prefix, one, other) => {
      const network = parseClient(spell([...prefix, ...one]))?.network
      assert.equal(parseClient(spell([...prefix, ...other]))?.network, network)
      assert.equal(network, `${spell(prefix)}::/64`)
    }),
  )
})
