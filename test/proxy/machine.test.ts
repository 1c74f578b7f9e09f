// Addresses of this machine, from recorded files of /proc.
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os, { endianness } from 'node:os'
import { describe, test } from 'node:test'
import { rangeText } from '../../src/network/address-range.ts'
import { interfaceAddresses, machineOf, type ProcFiles, readMachine } from '../../src/proxy/machine.ts'
import { skipUnless } from '../support/requirement.ts'

const skipBigEndian = skipUnless(endianness() === 'LE', 'needs a little-endian machine, on which it was recorded')
const EMPTY: ProcFiles = { 'net/fib_trie': '', 'net/if_inet6': '', 'net/ipv6_route': '', 'net/route': '', limits: '' }
const FIB_TRIE = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 192.0.2.0/24 2 0 2
        +-- 192.0.2.0/30 2 0 2
           |-- 192.0.2.0
              /24 link UNICAST
           |-- 192.0.2.2
              /32 host LOCAL
        |-- 192.0.2.255
           /32 link BROADCAST
Local:
  +-- 0.0.0.0/0 3 0 5
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
     |-- 198.51.100.0
        /24 host LOCAL
        /28 link UNICAST
     |-- 0.0.0.0
        /0 host LOCAL
     |-- 203.0.113.9
        /32 link UNICAST
        /32 host LOCAL
`
const IF_INET6 = `00000000000000000000000000000001 01 80 10 80       lo
fe8000000000000000fc00fffe000001 04 40 20 80     eth0
20010db8000000000000000000000002 04 40 00 82     eth0
`
const ROUTES_6 = `20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000002 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 20010db800000000000000000000fffe 00000400 00000003 00000000 00000003     eth0
00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo
20010db8000000000000000000000002 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000003 00000000 80200001     eth0
20010db8007700000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000400 00000001 00000000 80200001       lo
fe8000000000000000fc00fffe000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000002 00000000 80200001     eth0
ff000000000000000000000000000000 08 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000003 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
`
const addresses = (proc: Partial<ProcFiles>, interfaces: readonly string[] = [], isInContainer = false) =>
  machineOf({ ...EMPTY, ...proc }, interfaces, isInContainer).addresses.map(rangeText)

describe('addresses', () => {
  test('of type local, networks too, but neither loopback nor link-local ones', () => {
    assert.deepEqual(addresses({ 'net/fib_trie': FIB_TRIE }), ['192.0.2.2', '198.51.100.0/24', '203.0.113.9'])
    assert.deepEqual(addresses({ 'net/if_inet6': IF_INET6 }), ['2001:db8::2'])
    assert.deepEqual(addresses({ 'net/ipv6_route': ROUTES_6 }), ['2001:db8::2', '2001:db8:77::/64'])
  })

  test('of interfaces, where /proc does not show the network', () => {
    assert.deepEqual(addresses({}, ['127.0.0.1', '192.0.2.2', '::1', 'fe80::1', '2001:db8::2']), [
      '192.0.2.2',
      '2001:db8::2',
    ])
  })

  test('of /proc alone, where the sandbox denies netlink sockets; never of neither', () => {
    const proc = { ...EMPTY, 'net/fib_trie': FIB_TRIE }
    assert.deepEqual(machineOf(proc, undefined, false), machineOf(proc, [], false))
    assert.throws(() => machineOf(EMPTY, undefined, false), /this machine's addresses are unknown/)
  })

  test('in a container, its routers and the first address of each network', { skip: skipBigEndian }, () => {
    const routes = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth1\t006433C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth1\t096433C6\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0
`
    assert.deepEqual(addresses({ 'net/route': routes }), [])
    assert.deepEqual(addresses({ 'net/route': routes }, [], true), ['192.0.2.1', '198.51.100.1'])
    assert.deepEqual(addresses({ 'net/ipv6_route': ROUTES_6 }, [], true), [
      '2001:db8::2',
      '2001:db8:77::/64',
      '2001:db8::1',
      '2001:db8::fffe',
    ])
  })

  test('of this machine, whatever it has', () => {
    for (const range of readMachine(true).addresses)
      assert.match(rangeText(range), /^(?!127\.|fe80)[0-9a-f.:]+(\/\d+)?$/)
  })

  test('of this machine, too, where the sandbox denies netlink sockets, as that of the unit does', (t) => {
    const expected = readMachine(false)
    assert.notEqual(interfaceAddresses(), undefined)
    const mocked = t.mock.method(os, 'networkInterfaces', () => {
      throw new Error('uv_interface_addresses returned Unknown system error 97')
    })
    syncBuiltinESMExports()
    t.after(() => {
      mocked.mock.restore()
      syncBuiltinESMExports()
    })
    assert.equal(interfaceAddresses(), undefined)
    assert.deepEqual(readMachine(false).addresses.map(rangeText), expected.addresses.map(rangeText))
  })
})

test('descriptors', () => {
  const limits = (soft: string) =>
    machineOf({ ...EMPTY, limits: `Max open files            ${soft}       524288   files \n` }, [], false).descriptors
  assert.equal(limits('1024'), 1024)
  assert.equal(limits('524288'), 65_536)
  assert.equal(limits('unlimited'), 65_536)
  assert.equal(machineOf(EMPTY, [], false).descriptors, 65_536)
})
